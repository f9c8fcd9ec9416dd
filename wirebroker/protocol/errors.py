"""The error codes of the protocol.

Generated from protocol_specs/errors by tools/codegen: do not edit.
"""

from __future__ import annotations

from enum import IntEnum


class ErrorCode(IntEnum):
    """What goes into an error_code field.

    `retriable`: clients may try again; `meaning`: one sentence; `since`: the release of Apache Kafka that brought it;
    `earlier`: the code that releases before answered, None if none is known.
    """

    UNKNOWN_SERVER_ERROR = -1
    NONE = 0
    OFFSET_OUT_OF_RANGE = 1
    CORRUPT_MESSAGE = 2
    UNKNOWN_TOPIC_OR_PARTITION = 3
    INVALID_FETCH_SIZE = 4
    LEADER_NOT_AVAILABLE = 5
    NOT_LEADER_OR_FOLLOWER = 6
    REQUEST_TIMED_OUT = 7
    BROKER_NOT_AVAILABLE = 8
    REPLICA_NOT_AVAILABLE = 9
    MESSAGE_TOO_LARGE = 10
    STALE_CONTROLLER_EPOCH = 11
    OFFSET_METADATA_TOO_LARGE = 12
    NETWORK_EXCEPTION = 13
    COORDINATOR_LOAD_IN_PROGRESS = 14
    COORDINATOR_NOT_AVAILABLE = 15
    NOT_COORDINATOR = 16
    INVALID_TOPIC_EXCEPTION = 17
    RECORD_LIST_TOO_LARGE = 18
    NOT_ENOUGH_REPLICAS = 19
    NOT_ENOUGH_REPLICAS_AFTER_APPEND = 20
    INVALID_REQUIRED_ACKS = 21
    ILLEGAL_GENERATION = 22
    INCONSISTENT_GROUP_PROTOCOL = 23
    INVALID_GROUP_ID = 24
    UNKNOWN_MEMBER_ID = 25
    INVALID_SESSION_TIMEOUT = 26
    REBALANCE_IN_PROGRESS = 27
    INVALID_COMMIT_OFFSET_SIZE = 28
    TOPIC_AUTHORIZATION_FAILED = 29
    GROUP_AUTHORIZATION_FAILED = 30
    CLUSTER_AUTHORIZATION_FAILED = 31
    INVALID_TIMESTAMP = 32
    UNSUPPORTED_SASL_MECHANISM = 33
    ILLEGAL_SASL_STATE = 34
    UNSUPPORTED_VERSION = 35
    TOPIC_ALREADY_EXISTS = 36
    INVALID_PARTITIONS = 37
    INVALID_REPLICATION_FACTOR = 38
    INVALID_REPLICA_ASSIGNMENT = 39
    INVALID_CONFIG = 40
    NOT_CONTROLLER = 41
    INVALID_REQUEST = 42
    UNSUPPORTED_FOR_MESSAGE_FORMAT = 43
    POLICY_VIOLATION = 44
    OUT_OF_ORDER_SEQUENCE_NUMBER = 45
    DUPLICATE_SEQUENCE_NUMBER = 46
    INVALID_PRODUCER_EPOCH = 47
    INVALID_TXN_STATE = 48
    INVALID_PRODUCER_ID_MAPPING = 49
    INVALID_TRANSACTION_TIMEOUT = 50
    CONCURRENT_TRANSACTIONS = 51
    TRANSACTION_COORDINATOR_FENCED = 52
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED = 53
    SECURITY_DISABLED = 54
    OPERATION_NOT_ATTEMPTED = 55
    KAFKA_STORAGE_ERROR = 56
    LOG_DIR_NOT_FOUND = 57
    SASL_AUTHENTICATION_FAILED = 58
    UNKNOWN_PRODUCER_ID = 59
    REASSIGNMENT_IN_PROGRESS = 60
    DELEGATION_TOKEN_AUTH_DISABLED = 61
    DELEGATION_TOKEN_NOT_FOUND = 62
    DELEGATION_TOKEN_OWNER_MISMATCH = 63
    DELEGATION_TOKEN_REQUEST_NOT_ALLOWED = 64
    DELEGATION_TOKEN_AUTHORIZATION_FAILED = 65
    DELEGATION_TOKEN_EXPIRED = 66
    INVALID_PRINCIPAL_TYPE = 67
    NON_EMPTY_GROUP = 68
    GROUP_ID_NOT_FOUND = 69
    FETCH_SESSION_ID_NOT_FOUND = 70
    INVALID_FETCH_SESSION_EPOCH = 71
    LISTENER_NOT_FOUND = 72
    TOPIC_DELETION_DISABLED = 73
    FENCED_LEADER_EPOCH = 74
    UNKNOWN_LEADER_EPOCH = 75
    UNSUPPORTED_COMPRESSION_TYPE = 76
    STALE_BROKER_EPOCH = 77
    OFFSET_NOT_AVAILABLE = 78
    MEMBER_ID_REQUIRED = 79
    PREFERRED_LEADER_NOT_AVAILABLE = 80
    GROUP_MAX_SIZE_REACHED = 81
    FENCED_INSTANCE_ID = 82
    ELIGIBLE_LEADERS_NOT_AVAILABLE = 83
    ELECTION_NOT_NEEDED = 84
    NO_REASSIGNMENT_IN_PROGRESS = 85
    GROUP_SUBSCRIBED_TO_TOPIC = 86
    INVALID_RECORD = 87
    UNSTABLE_OFFSET_COMMIT = 88
    THROTTLING_QUOTA_EXCEEDED = 89
    PRODUCER_FENCED = 90
    RESOURCE_NOT_FOUND = 91
    DUPLICATE_RESOURCE = 92
    UNACCEPTABLE_CREDENTIAL = 93
    INCONSISTENT_VOTER_SET = 94
    INVALID_UPDATE_VERSION = 95
    FEATURE_UPDATE_FAILED = 96
    PRINCIPAL_DESERIALIZATION_FAILURE = 97
    SNAPSHOT_NOT_FOUND = 98
    POSITION_OUT_OF_RANGE = 99
    UNKNOWN_TOPIC_ID = 100
    DUPLICATE_BROKER_REGISTRATION = 101
    BROKER_ID_NOT_REGISTERED = 102
    INCONSISTENT_TOPIC_ID = 103
    INCONSISTENT_CLUSTER_ID = 104
    TRANSACTIONAL_ID_NOT_FOUND = 105
    FETCH_SESSION_TOPIC_ID_ERROR = 106
    INELIGIBLE_REPLICA = 107
    NEW_LEADER_ELECTED = 108
    OFFSET_MOVED_TO_TIERED_STORAGE = 109
    FENCED_MEMBER_EPOCH = 110
    UNRELEASED_INSTANCE_ID = 111
    UNSUPPORTED_ASSIGNOR = 112
    STALE_MEMBER_EPOCH = 113
    MISMATCHED_ENDPOINT_TYPE = 114
    UNSUPPORTED_ENDPOINT_TYPE = 115
    UNKNOWN_CONTROLLER_ID = 116
    UNKNOWN_SUBSCRIPTION_ID = 117
    TELEMETRY_TOO_LARGE = 118
    INVALID_REGISTRATION = 119
    TRANSACTION_ABORTABLE = 120
    INVALID_RECORD_STATE = 121
    SHARE_SESSION_NOT_FOUND = 122
    INVALID_SHARE_SESSION_EPOCH = 123
    FENCED_STATE_EPOCH = 124
    INVALID_VOTER_KEY = 125
    DUPLICATE_VOTER = 126
    VOTER_NOT_FOUND = 127
    INVALID_REGULAR_EXPRESSION = 128
    REBOOTSTRAP_REQUIRED = 129
    STREAMS_INVALID_TOPOLOGY = 130
    STREAMS_INVALID_TOPOLOGY_EPOCH = 131
    STREAMS_TOPOLOGY_FENCED = 132
    SHARE_SESSION_LIMIT_REACHED = 133

    @property
    def retriable(self) -> bool:
        return self in _RETRIABLE

    @property
    def meaning(self) -> str:
        return _MEANINGS[self]

    @property
    def since(self) -> str:
        return next(release for release, last in _LAST_CODES if self <= last)

    @property
    def earlier(self) -> ErrorCode | None:
        code = _EARLIER.get(self)
        return None if code is None else ErrorCode(code)


_RETRIABLE: frozenset[int] = frozenset(
    {
        2,
        3,
        5,
        6,
        7,
        9,
        13,
        14,
        15,
        16,
        19,
        20,
        41,
        51,
        56,
        70,
        71,
        72,
        74,
        75,
        78,
        80,
        83,
        84,
        88,
        89,
        100,
        103,
        106,
        122,
        123,
        133,
    }
)

_MEANINGS = {
    -1: "The server failed in a way that has no code of its own.",
    0: "No error.",
    1: "The offset is below the log's start or above its end.",
    2: "Records failed a checksum or size check.",
    3: "This server has no such topic or partition.",
    4: "The fetch size is not usable.",
    5: "The partition has no leader just now.",
    6: "Another broker leads the partition, or this one has no replica of it.",
    7: "The work was not done within the time that the request gave.",
    8: "That broker is not alive.",
    9: "A replica that was asked for is not to be had here.",
    10: "The batch is larger than the topic allows.",
    11: "A newer controller has spoken already.",
    12: "The text beside a committed offset is too long.",
    13: "The connection went away before the answer came.",
    14: "The coordinator is still reading its partition.",
    15: "No coordinator can be named yet.",
    16: "Another broker coordinates this group or transactional id.",
    17: "The topic's name is illegal, or the topic may not be used this way.",
    18: "The records of one partition are larger than a segment.",
    19: "Fewer replicas are in sync than acks=all demands; nothing was written.",
    20: "Records were written, but to fewer replicas than acks=all demands.",
    21: "acks is none of -1, 0 and 1.",
    22: "The group has moved on to another generation.",
    23: "The member's protocol type or protocols do not fit the group's.",
    24: "The group id is empty or otherwise not usable.",
    25: "The group has no such member.",
    26: "The session timeout is outside of what the broker allows.",
    27: "The group is rebalancing: the member must join again.",
    28: "The offset commit could not be written because it is too large.",
    29: "The principal may not do this with the topic.",
    30: "The principal may not do this with the group.",
    31: "The principal may not do this with the cluster.",
    32: "A record's timestamp is too far from the broker's clock.",
    33: "The SASL mechanism is not enabled.",
    34: "The request does not fit the state of the authentication.",
    35: "The server does not speak this version.",
    36: "There is a topic of this name.",
    37: "The number of partitions is not usable.",
    38: "The replication factor is below one or above the number of brokers.",
    39: "The given placement of replicas is not usable.",
    40: "A config's name or value is not usable.",
    41: "Another broker is the controller.",
    42: "The request contradicts itself or the rules of its API.",
    43: "The message format of the partition cannot do this.",
    44: "A policy of the operator refuses the request.",
    45: "The producer's sequence number leaves a gap or goes back.",
    46: "The broker has seen this sequence number before.",
    47: "The producer's epoch is older than the newest known.",
    48: "The transaction's state does not allow this.",
    49: "The producer id does not belong to this transactional id.",
    50: "The transaction timeout is not positive or above the broker's maximum.",
    51: "The previous transaction of this id is still being finished.",
    52: "The coordinator that sent this has been replaced.",
    53: "The principal may not use this transactional id.",
    54: "No authorizer is configured.",
    55: "Not tried, because another part of the request failed.",
    56: "The disk that holds the log failed.",
    57: "The broker has no such log directory.",
    58: "The credentials were refused.",
    59: "The broker knows nothing (any more) of this producer id.",
    60: "The partition is being reassigned.",
    61: "Delegation tokens are not enabled.",
    62: "There is no such delegation token.",
    63: "The token belongs to somebody else.",
    64: "Token requests are not accepted on this kind of connection.",
    65: "The principal may not do this with the token.",
    66: "The token's time is over.",
    67: "Principals of this type are not supported here.",
    68: "The group has members.",
    69: "There is no such group.",
    70: "The broker has no such fetch session: start a new one.",
    71: "The fetch session is at another epoch.",
    72: "The leader has no listener of the name that the request came in by.",
    73: "The operator has turned topic deletion off.",
    74: "The client's leader epoch is older than the broker's.",
    75: "The client's leader epoch is newer than the broker's.",
    76: "The client's version cannot read or send this compression.",
    77: "The broker has registered again since.",
    78: "The new leader's high watermark is not certain yet.",
    79: "Join again with the member id that this answer carries.",
    80: "The preferred replica cannot lead now.",
    81: "The group has as many members as are allowed.",
    82: "Another member has taken over this group instance id.",
    83: "No replica is both alive and allowed to lead.",
    84: "The partition has the leader that was asked for.",
    85: "There is no reassignment to cancel.",
    86: "A member of the group is subscribed to the topic.",
    87: "Records broke a rule, such as keys on compacted topics.",
    88: "A transaction is about to change this committed offset.",
    89: "A quota for changes of the cluster is used up for now.",
    90: "A newer producer uses the same transactional id.",
    91: "What the request names does not exist.",
    92: "The request names one thing twice.",
    93: "The credential breaks a rule, such as a least number of iterations.",
    94: "Sender and receiver disagree on who may vote.",
    95: "The version of the update is not usable.",
    96: "Features could not be changed.",
    97: "A forwarded request's principal could not be read.",
    98: "There is no such snapshot.",
    99: "The position is outside of the snapshot.",
    100: "This server has no topic with that id.",
    101: "A live broker has this id.",
    102: "No broker with this id has registered.",
    103: "The log's topic id is another one than the request's.",
    104: "The request is meant for another cluster.",
    105: "There is no such transactional id.",
    106: "The fetch session mixes requests with and without topic ids.",
    107: "A replica of the new in-sync set may not be in it.",
    108: "The change was made, and it made another broker leader.",
    109: "The offset is only in remote storage.",
    110: "The member's epoch is over: it must join again.",
    111: "The instance id still belongs to another member.",
    112: "The group cannot use this assignor.",
    113: "The member's epoch is behind: repeat once the new one is known.",
    114: "The request was sent to the wrong kind of endpoint.",
    115: "This kind of endpoint is not known here.",
    116: "There is no controller with this id.",
    117: "The client's telemetry subscription is out of date.",
    118: "The telemetry is larger than the broker takes.",
    119: "The controller refuses what the broker registered with.",
    120: "The transaction can only be aborted; the producer may go on after that.",
    121: "The record's delivery state does not allow this acknowledgement.",
    122: "The broker has no such share session.",
    123: "The share session is at another epoch.",
    124: "The share coordinator has seen a newer state epoch.",
    125: "The voter key does not match the receiver's.",
    126: "The voter is in the set already.",
    127: "The voter is not in the set.",
    128: "The regular expression cannot be compiled.",
    129: "The client must start over from its bootstrap servers.",
    130: "The streams topology is not usable.",
    131: "The streams topology's epoch is not usable.",
    132: "The streams topology's epoch is out of date.",
    133: "The broker holds as many share sessions as it may.",
}

_LAST_CODES = (
    ("0.8.0", 16),
    ("0.8.2", 20),
    ("0.9.0", 31),
    ("0.10.0", 35),
    ("0.10.1", 43),
    ("0.10.2", 44),
    ("0.11.0", 55),
    ("1.0", 60),
    ("1.1", 71),
    ("2.0", 72),
    ("2.1", 76),
    ("2.2", 81),
    ("2.3", 82),
    ("2.4", 87),
    ("2.5", 88),
    ("2.7", 96),
    ("2.8", 104),
    ("3.0", 105),
    ("3.1", 106),
    ("3.3", 108),
    ("3.5", 112),
    ("3.6", 113),
    ("3.7", 119),
    ("3.8", 120),
    ("3.9", 127),
    ("4.0", 129),
    ("4.1", 133),
)

_EARLIER = {
    56: 6,
    59: 45,
    72: 5,
    73: 42,
    74: 6,
    75: 6,
    82: 25,
    84: 0,
    87: 2,
    89: 7,
    90: 47,
    103: 6,
    120: 48,
}
