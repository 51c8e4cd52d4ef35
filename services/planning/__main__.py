"""python -m services.planning"""

from backbone.process import main
from services.planning.app import service

if __name__ == "__main__":
    main("planning", service)
