"""Error codes 1000-9999 by category (source design 004 section 8), and the record of an error inside an event."""

from enum import IntEnum

from pydantic import Field

from contracts.shape import Contract, JsonObject


class Category(IntEnum):
    """First digit of every code."""

    VALIDATION = 1
    AUTH = 2
    SESSION = 3
    AGENT = 4
    HITL = 5
    TOOL = 6
    LLM = 7
    EXTERNAL = 8
    INTERNAL = 9


class Code(IntEnum):
    """Every error a user, operator or developer can meet. A code never changes its meaning."""

    # 1000 VALIDATION: the input is wrong; mend it and send it again.
    INVALID_REQUEST = 1000
    TEXT_EMPTY = 1001
    TEXT_TOO_LONG = 1002
    LANGUAGE_UNSUPPORTED = 1003
    FILE_TYPE_UNKNOWN = 1004
    FILE_TOO_LARGE = 1005
    FILE_EMPTY = 1006
    FRAME_MALFORMED = 1007
    FRAME_TYPE_UNKNOWN = 1008
    IDENTIFIER_MALFORMED = 1009
    ARTIFACT_UNKNOWN = 1010
    POSITION_INVALID = 1011
    IDEMPOTENCY_KEY_REUSED = 1012
    # 2000 AUTH
    UNAUTHENTICATED = 2000
    FORBIDDEN = 2001
    RATE_LIMITED = 2002
    # 3000 SESSION
    SESSION_UNKNOWN = 3000
    RUN_UNKNOWN = 3001
    RUN_ALREADY_ENDED = 3002
    VERSION_CONFLICT = 3003
    # 4000 AGENT
    INTENT_UNSUPPORTED = 4000
    GOAL_UNREACHABLE = 4001
    PLAN_CYCLE = 4002
    PLAN_TOOL_UNKNOWN = 4003
    PLAN_ARGUMENTS_INVALID = 4004
    PLAN_DEPENDENCY_UNKNOWN = 4005
    PLAN_EDIT_INVALID = 4006
    PLAN_EMPTY = 4007
    RUN_TIMEOUT = 4008
    EXECUTION_FAILED = 4009
    BUDGET_EXHAUSTED = 4010
    DEPENDENCY_FAILED = 4011
    TODO_NOT_EDITABLE = 4012
    RUN_STUCK = 4013
    RUN_NOT_PAUSED = 4014
    RUN_ABORTED = 4015
    QUALITY_NOT_REACHED = 4016
    # 5000 HITL
    DECISION_UNKNOWN = 5000
    DECISION_CLOSED = 5001
    DECISION_ANSWER_INVALID = 5002
    DECISION_EXPIRED = 5003
    APPROVAL_MISSING = 5004
    # 6000 TOOL
    TOOL_FAILED = 6000
    TOOL_TIMEOUT = 6001
    TOOL_ARGUMENTS_INVALID = 6002
    TOOL_RESULT_INVALID = 6003
    TOOL_UNKNOWN = 6004
    TOOL_BUSY = 6005
    TOOL_CRASHED = 6006
    TOOL_CANCELLED = 6007
    TOOL_OUTCOME_UNKNOWN = 6008
    LEASE_LOST = 6009
    TOOL_OUT_OF_MEMORY = 6010
    TOOL_OUTPUT_TOO_LARGE = 6011
    INPUT_MISSING = 6100
    TABLE_UNREADABLE = 6101
    TEXT_COLUMN_MISSING = 6102
    TABLE_EMPTY = 6103
    DATE_COLUMN_MISSING = 6104
    NOTHING_TO_REPORT = 6105
    # 7000 LLM
    MODEL_UNAVAILABLE = 7000
    MODEL_OUTPUT_INVALID = 7001
    MODEL_TIMEOUT = 7002
    MODEL_REFUSED = 7003
    # 8000 EXTERNAL
    EXTERNAL_UNAVAILABLE = 8000
    ADDRESS_REFUSED = 8001
    # 9000 INTERNAL
    INTERNAL = 9000
    MESSAGE_UNREADABLE = 9001
    MESSAGE_TYPE_UNKNOWN = 9002
    MESSAGE_VERSION_UNKNOWN = 9003
    MESSAGE_NOT_IN_LEDGER = 9004
    DELIVERIES_EXHAUSTED = 9005
    LEDGER_UNAVAILABLE = 9006
    BUS_UNAVAILABLE = 9007
    ARTIFACT_STORE_UNAVAILABLE = 9008
    DEAD_LETTER_UNKNOWN = 9009
    DEAD_LETTER_CLOSED = 9010

    @property
    def category(self) -> Category:
        return Category(self // 1000)


class ErrorInfo(Contract):
    """An error as it stands in an event or a response.

    `message` is one sentence for the person, in their language; `detail` holds the offending values.
    """

    code: Code
    message: str
    retryable: bool = False
    detail: JsonObject = Field(default_factory=dict)
