"""python -m services.cognitive"""

from backbone.process import main
from services.cognitive.app import service

if __name__ == "__main__":
    main("cognitive", service)
