"""python -m services.execution"""

from backbone.process import main
from services.execution.app import service

if __name__ == "__main__":
    main("execution", service)
