"""python -m services.response"""

from backbone.process import main
from services.response.app import service

if __name__ == "__main__":
    main("response", service)
