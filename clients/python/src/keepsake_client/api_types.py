"""Types of all requests and answers. Generated from the OpenAPI document by scripts/generate.py; do not edit."""

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union


class AcceptContradictionAnswer(TypedDict):
    status: Literal["success"]
    contradiction: "Contradiction"


class ApiKey(TypedDict):
    id: str
    # Null for an application key
    user_id: Optional[str]
    name: str
    preview: str
    status: Literal["active", "revoked", "expired"]
    created_at: str
    last_used_at: Optional[str]
    revoked_at: Optional[str]
    # full: everything. read: nothing is changed. write: only stores, and gets no memories back
    access: Literal["full", "read", "write"]
    # The only project that it reaches; null: all memories of the user
    project: Optional[str]
    expires_at: Optional[str]
    # user: reaches one user. application: acts for the user that each request names
    kind: Literal["user", "application"]
    # The users of an application key; null: every user, or a key of one user
    user_prefix: Optional[str]


class _BatchResultRequired(TypedDict):
    # Of the item in the request
    index: int
    # refused: sending it again would not help; failed: send it again, with the same idempotency key
    status: Literal["stored", "refused", "failed"]


class BatchResult(_BatchResultRequired, total=False):
    # True if an earlier request with the same key has stored it; omitted otherwise
    replayed: bool
    # Only if it is stored: the response of a single store
    result: "StoreMemoriesAnswer"
    # Only if it is not stored: the error of a single store
    error: "ErrorBody"


class CleanupExpiredAnswer(TypedDict):
    status: Literal["success"]
    deleted: int
    # Memories that had expired when the cleanup began
    would_delete: int
    dry_run: bool


class CleanupExpiredRequest(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str
    # Only memories of this project; by default all projects
    project: str
    # Only count, delete nothing; by default false
    dry_run: bool


class _ConsolidateAnswerProposalsOldRequired(TypedDict):
    id: str


class ConsolidateAnswerProposalsOld(_ConsolidateAnswerProposalsOldRequired, total=False):
    """The memory that is retired"""

    # Left out for the master key
    content: str


class _ConsolidateAnswerProposalsNewRequired(TypedDict):
    id: str


class ConsolidateAnswerProposalsNew(_ConsolidateAnswerProposalsNewRequired, total=False):
    """The memory that is kept; null for chatter"""

    # Left out for the master key
    content: str


class ConsolidateAnswerProposals(TypedDict):
    # repeated: the new memory says the same in other words; chatter: the old memory says nothing
    rule: Literal["repeated", "chatter"]
    user_id: str
    project: Optional[str]
    # The memory that is retired
    old: "ConsolidateAnswerProposalsOld"
    # The memory that is kept; null for chatter
    new: Optional["ConsolidateAnswerProposalsNew"]
    # To revert it; null with dry_run
    contradiction_id: Optional[str]


class ConsolidateAnswer(TypedDict):
    status: Literal["success"]
    dry_run: bool
    # Memories that were compared with their nearest ones
    examined: int
    # Older memories were not examined; the scheduled pass examines all
    has_more: bool
    # Memories that were retired because another one says the same
    merged: int
    # Memories that were retired because they say nothing
    retired: int
    proposals: List["ConsolidateAnswerProposals"]


class ConsolidateRequest(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str
    # Only memories of this project; by default all projects
    project: str
    # Only propose; false retires the memories; by default true
    dry_run: bool


class ContradictionReason(TypedDict):
    # The fact that has one value at a time
    slot: str
    old_value: str
    new_value: str
    # The rule that found it: contradicted; refined, where the new memory only adds detail; judged, by the judging model; advised, by a language model; repeated, where consolidation found the same in other words; chatter, where consolidation retired a memory that says nothing, which is then on both sides
    rule: str


class ContradictionPart(TypedDict):
    """The part of the old memory that it is about; null if it is about all of it"""

    # The words of the old memory that it is about
    text: str
    # Where they begin in the content, in UTF-16 code units
    start: int
    # Where they end: the first code unit after them
    end: int


class Contradiction(TypedDict):
    id: str
    user_id: str
    project: Optional[str]
    # applied: the new memory replaced the old one, or a part of it; open: both are kept until somebody decides; accepted or reverted: somebody decided
    status: Literal["applied", "open", "accepted", "reverted"]
    # The reason in plain English
    why: str
    reason: Optional["ContradictionReason"]
    # The part of the old memory that it is about; null if it is about all of it
    part: Optional["ContradictionPart"]
    old: "ContradictionSide"
    new: "ContradictionSide"
    created_at: str
    decided_at: Optional[str]


class ContradictionSide(TypedDict):
    # The memory
    id: str
    # The content that contradicted; the memory may have changed since
    content: str
    created_at: str
    expires_at: Optional[str]
    superseded_at: Optional[str]
    superseded_by: Optional[str]


class CreateKeyAnswer(TypedDict):
    id: str
    # The full key; shown only once
    key: str
    # Null for an application key
    user_id: Optional[str]
    name: str
    created_at: str
    # full: everything. read: nothing is changed. write: only stores, and gets no memories back
    access: Literal["full", "read", "write"]
    # The only project that it reaches; null: all memories of the user
    project: Optional[str]
    expires_at: Optional[str]
    # user: reaches one user. application: acts for the user that each request names
    kind: Literal["user", "application"]
    # The users of an application key; null: every user, or a key of one user
    user_prefix: Optional[str]


class _CreateKeyRequestRequired(TypedDict):
    # A label that identifies the key
    name: str


class CreateKeyRequest(_CreateKeyRequestRequired, total=False):
    # user: reaches one user. application: acts for the user that each request names; by default user
    kind: Literal["user", "application"]
    # The user whose memories the key reaches; required unless kind is application
    user_id: str
    # Only for an application key: it acts for users whose id starts with this; by default for every user
    user_prefix: str
    # full: everything. read: nothing is changed. write: only stores, and gets no memories back; by default full
    access: Literal["full", "read", "write"]
    # The only project that the key reaches; by default all memories of the user
    project: str
    # How long the key works, such as 12h or 30d; by default until it is revoked
    ttl: str


class CreateSpaceAnswer(TypedDict):
    status: Literal["success"]
    space: "Space"


class _CreateSpaceRequestRequired(TypedDict):
    # A name for its members
    name: str


class CreateSpaceRequest(_CreateSpaceRequestRequired, total=False):
    # The member who acts; by default the user of the API key
    user_id: str


class CreateWebhookAnswer(TypedDict):
    status: Literal["success"]
    webhook: "Webhook"
    # Shown only once; null if the caller chose it
    secret: Optional[str]


class _CreateWebhookRequestRequired(TypedDict):
    # Where events are sent: an https URL with a public address
    url: str


class CreateWebhookRequest(_CreateWebhookRequestRequired, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # Only these types of events; by default, or if empty, all types
    events: List[Literal["memory.stored", "memory.updated", "memory.superseded", "memory.outdated", "memory.restored", "memory.expired", "memory.forgotten", "item.put", "item.deleted"]]
    # Only memories of this project; by default all projects
    project: str
    # Signs the events: 16 to 256 visible ASCII characters; generated by default
    secret: str


class DeadLetter(TypedDict):
    event: "MemoryEvent"
    attempts: int
    last_status: Optional[int]
    last_error: Optional[str]
    failed_at: str
    redelivering: bool


class DeleteItemAnswer(TypedDict):
    status: Literal["success"]
    # Number of deleted items
    deleted: int


class DeleteMemoriesAnswer(TypedDict):
    status: Literal["success"]
    deleted: int
    # Ids of the deleted memories
    memory_ids: List[str]


class DeleteMemoriesRequest(TypedDict, total=False):
    # Delete these memories
    memory_ids: List[str]
    # Delete the memories that pass this filter
    filter: Dict[str, Any]
    # Delete all memories of the user, or of the project
    all: Literal[True]
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str
    # Only memories of this project; by default all projects
    project: str


class DeleteSpaceAnswer(TypedDict):
    status: Literal["success"]
    id: str
    # Number of deleted memories
    deleted: int


class DeleteWebhookAnswer(TypedDict):
    status: Literal["success"]
    id: str


class Entity(TypedDict):
    id: str
    user_id: str
    name: str
    type: Literal["PERSON", "ORG", "LOCATION", "PRODUCT", "EVENT", "CONCEPT"]
    aliases: List[str]
    memory_count: int
    first_seen: str
    last_seen: str


# rule: stated: a text says so; full_name, short_form, company_name: the name fits only this person or organisation; same_name: a product has the name of an organisation; manual: a user merged them
# why: The reason in plain English
# reverted_by: rule: the reason no longer applies, for example because the name now fits a second person
EntityMerge = TypedDict(
    "EntityMerge",
    {
        "id": str,
        "user_id": str,
        "from": "MergedName",
        "into": "MergedName",
        "rule": Literal["stated", "full_name", "short_form", "company_name", "same_name", "manual"],
        "why": str,
        "created_at": str,
        "reverted_at": Optional[str],
        "reverted_by": Optional[Literal["user", "rule"]],
    },
)


class ErrorAnswer(TypedDict):
    error: "ErrorBody"


class _ErrorBodyRequired(TypedDict):
    code: Literal["validation_error", "authentication_error", "forbidden", "not_found", "conflict", "rate_limit_exceeded", "internal_error", "unavailable"]
    message: str
    # Identifies the request in the log of the service
    request_id: str


class ErrorBody(_ErrorBodyRequired, total=False):
    details: List["Problem"]


class ExplanationSemantic(TypedDict):
    """The score of a memory by one signal"""

    score: float
    # The rank by this signal; 1 is best
    rank: Optional[int]


class ExplanationKeyword(TypedDict):
    """The score of a memory by one signal"""

    score: float
    # The rank by this signal; 1 is best
    rank: Optional[int]


class ExplanationGraph(TypedDict):
    """The score of a memory by one signal"""

    score: float
    # The rank by this signal; 1 is best
    rank: Optional[int]


class ExplanationSpeaker(TypedDict):
    """Whether a person whom the query is about said it"""

    score: float
    # The rank by this signal; 1 is best
    rank: Optional[int]


class ExplanationSubject(TypedDict):
    """Whether a note of the user is about the person whom the query is about"""

    score: float
    # The rank by this signal; 1 is best
    rank: Optional[int]


class ExplanationTime(TypedDict):
    """Whether it is from the time that the query mentions"""

    score: float
    # The rank by this signal; 1 is best
    rank: Optional[int]


class ExplanationReply(TypedDict):
    """Whether it answers somebody who asked a similar question"""

    score: float
    # The rank by this signal; 1 is best
    rank: Optional[int]


class ExplanationStatement(TypedDict):
    """Whether it states something rather than asks"""

    score: float
    # The rank by this signal; 1 is best
    rank: Optional[int]


class ExplanationRerank(TypedDict):
    """The score of a memory by one signal"""

    score: float
    # The rank by this signal; 1 is best
    rank: Optional[int]


class ExplanationDecay(TypedDict):
    """The score of a memory by one signal"""

    score: float
    # The rank by this signal; 1 is best
    rank: Optional[int]


class ExplanationTrust(TypedDict):
    """How much content protection trusts it"""

    score: float
    # The rank by this signal; 1 is best
    rank: Optional[int]


class Explanation(TypedDict):
    # The score of a memory by one signal
    semantic: Optional["ExplanationSemantic"]
    # The score of a memory by one signal
    keyword: Optional["ExplanationKeyword"]
    # The score of a memory by one signal
    graph: Optional["ExplanationGraph"]
    # Whether a person whom the query is about said it
    speaker: Optional["ExplanationSpeaker"]
    # Whether a note of the user is about the person whom the query is about
    subject: Optional["ExplanationSubject"]
    # Whether it is from the time that the query mentions
    time: Optional["ExplanationTime"]
    # Whether it answers somebody who asked a similar question
    reply: Optional["ExplanationReply"]
    # Whether it states something rather than asks
    statement: Optional["ExplanationStatement"]
    # The score of a memory by one signal
    rerank: Optional["ExplanationRerank"]
    # The score of a memory by one signal
    decay: "ExplanationDecay"
    # How much content protection trusts it
    trust: "ExplanationTrust"


class GetActivityAnswerDays(TypedDict):
    # In UTC, such as 2026-11-16
    day: str
    created: int


class GetActivityAnswer(TypedDict):
    # Days on which memories were created, oldest first; at most the last ten years of them
    days: List["GetActivityAnswerDays"]


class GetContradictionAnswer(TypedDict):
    contradiction: "Contradiction"


class GetDecayReportAnswerMemories(TypedDict):
    id: str
    content: str
    decay_score: float
    last_accessed: Optional[str]


GetDecayReportAnswerDistribution = TypedDict(
    "GetDecayReportAnswerDistribution",
    {
        "from": float,
        "to": float,
        "count": int,
    },
)


class GetDecayReportAnswerForecast(TypedDict):
    days: int
    healthy: int
    decaying: int
    expired: int


class GetDecayReportAnswer(TypedDict):
    total_memories: int
    # decay_score above 0.7
    healthy: int
    # decay_score from 0.3 to 0.7
    decaying: int
    # decay_score below 0.3; these memories are still kept and recalled
    expired: int
    # Lowest score first
    memories: List["GetDecayReportAnswerMemories"]
    # Number of scores in each tenth; a score of 1 is in the last one
    distribution: List["GetDecayReportAnswerDistribution"]
    # The same three numbers after this many days if no memory is accessed; TTLs are ignored
    forecast: List["GetDecayReportAnswerForecast"]
    # The half-life that the scores were calculated with
    half_life_days: float
    access_boost_weight: float
    # Null when a cursor was given
    page: Optional[int]
    limit: int
    # The next page begins here; null on the last page. Follow it if a page ended early because of its size
    next_cursor: Optional[str]


class GetEntityAnswer(TypedDict):
    entity: "Entity"


class GetEntityMemoriesAnswer(TypedDict):
    entity: "Entity"
    # Newest first
    memories: List["Memory"]
    total: int
    # Null when a cursor was given
    page: Optional[int]
    limit: int
    # The next page begins here; null on the last page. Follow it if a page ended early because of its size
    next_cursor: Optional[str]


class GetEntityRelationshipsAnswer(TypedDict):
    entity: "Entity"
    # In both directions
    relationships: List["Relationship"]
    total: int


class GetGraphAnswer(TypedDict):
    # Entities with the most memories first
    entities: List["Entity"]
    # Relationships between these entities, each once; at most 10,000
    relationships: List["Relationship"]
    # Number of all entities, including those beyond limit
    total_entities: int
    total_relationships: int


class GetHealthAnswerLanguages(TypedDict):
    # ISO 639-1
    code: str
    # tested: through the whole service; measured: vectors or keywords alone; unmeasured: another embedding model is configured
    recall: Literal["tested", "measured", "unmeasured"]
    # partial: sentences and dates by rules of the language; none: texts are stored and found as written
    understanding: Literal["full", "partial", "none"]


class _GetHealthAnswerRequired(TypedDict):
    status: Literal["healthy"]


class GetHealthAnswer(_GetHealthAnswerRequired, total=False):
    # Only with a valid key, or while authentication is off
    version: str
    # Only with a valid key, or while authentication is off
    uptime_seconds: int
    # Only with a valid key, or while authentication is off
    checks: Dict[str, str]
    # How well each language is supported. Only with a valid key, or while authentication is off
    languages: List["GetHealthAnswerLanguages"]


class GetHealthUnavailableAnswerLanguages(TypedDict):
    # ISO 639-1
    code: str
    # tested: through the whole service; measured: vectors or keywords alone; unmeasured: another embedding model is configured
    recall: Literal["tested", "measured", "unmeasured"]
    # partial: sentences and dates by rules of the language; none: texts are stored and found as written
    understanding: Literal["full", "partial", "none"]


class _GetHealthUnavailableAnswerRequired(TypedDict):
    status: Literal["unhealthy"]
    error: "ErrorBody"


class GetHealthUnavailableAnswer(_GetHealthUnavailableAnswerRequired, total=False):
    # Only with a valid key, or while authentication is off
    version: str
    # Only with a valid key, or while authentication is off
    uptime_seconds: int
    # Only with a valid key, or while authentication is off
    checks: Dict[str, str]
    # How well each language is supported. Only with a valid key, or while authentication is off
    languages: List["GetHealthUnavailableAnswerLanguages"]


class GetItemAnswer(TypedDict):
    item: "Item"


class GetMemoryAnswer(TypedDict):
    memory: "Memory"


class GetMemoryDecayAnswerForecast(TypedDict):
    days: int
    decay_score: float


class GetMemoryDecayAnswer(TypedDict):
    id: str
    decay_score: float
    time_decay: float
    access_boost: float
    recency_boost: float
    age_days: float
    access_count: int
    last_accessed: Optional[str]
    half_life_days: float
    access_boost_weight: float
    status: Literal["healthy", "decaying", "expired"]
    expires_at: Optional[str]
    # The score after this many days if the memory is not accessed
    forecast: List["GetMemoryDecayAnswerForecast"]


class GetMemoryHistoryAnswer(TypedDict):
    memory_id: str
    # Oldest first
    versions: List["MemoryVersion"]
    # Oldest first; after the last version
    provenance: List["Provenance"]
    # The next page begins here; null on the last page. Follow it if a page ended early because of its size
    next_cursor: Optional[str]


class GetProfileAnswerTopics(TypedDict):
    topic: Literal["identity", "people", "home", "work", "health", "preferences", "possessions", "plans", "projects", "other"]
    lines: List["ProfileLine"]


class GetProfileAnswer(TypedDict):
    user_id: str
    as_of: str
    # The topics of which something is known, in a fixed order; in each, the surest and newest facts first
    topics: List["GetProfileAnswerTopics"]
    # The same for a prompt: a heading per topic and a line per fact
    text: str
    # Size of `text`
    tokens: int


class GetSpaceAnswer(TypedDict):
    space: "Space"


class GetWebhookAnswer(TypedDict):
    webhook: "Webhook"


class Grant(TypedDict):
    id: str
    user_id: str
    # The OAuth client: a URL, or an id from its registration
    client_id: str
    # The name that the client gave itself
    client_name: str
    status: Literal["active", "expired", "revoked"]
    # The API key that approved it; null: the master key
    approved_by: Optional[str]
    created_at: str
    last_used_at: Optional[str]
    # The end, unless the client refreshes its tokens
    expires_at: str
    revoked_at: Optional[str]


class Item(TypedDict):
    namespace: str
    key: str
    project: Optional[str]
    # Any JSON: a text, an object, a list. At most 50,000 characters as JSON
    value: Any
    # Grows with every change; numbers have gaps
    version: int
    trust_score: float
    # Content protection flagged it: a search leaves it out
    flagged: bool
    created_at: str
    updated_at: str
    expires_at: Optional[str]


class LeaveSpacesAnswer(TypedDict):
    status: Literal["success"]
    # Ids of the spaces that the user was a member of
    left: List[str]
    # Those of them that have no owner now
    ownerless: List[str]
    # Ids of the spaces that were deleted with their memories: nobody else was a member
    deleted: List[str]


class ListContradictionsAnswer(TypedDict):
    # Newest first
    contradictions: List["Contradiction"]
    total: int
    # Null when a cursor was given
    page: Optional[int]
    limit: int
    # The next page begins here; null on the last page. Follow it if a page ended early because of its size
    next_cursor: Optional[str]


class ListDeadLettersAnswer(TypedDict):
    dead_letters: List["DeadLetter"]
    total: int


class ListEntitiesAnswer(TypedDict):
    # Most recently seen first
    entities: List["Entity"]
    total: int
    page: int
    limit: int


class ListEntityMergesAnswer(TypedDict):
    entity: "Entity"
    # Newest first
    merges: List["EntityMerge"]
    total: int


class ListEventsAnswer(TypedDict):
    events: List["MemoryEvent"]
    # Pass this as `since` in the next request
    next: str
    more: bool
    # Some events after `since` are no longer kept: list the memories again
    missed: bool


class ListGrantsAnswer(TypedDict):
    grants: List["Grant"]
    total: int


class ListItemVersionsAnswerVersions(TypedDict):
    # Grows with every change; numbers have gaps
    version: int
    # Any JSON: a text, an object, a list. At most 50,000 characters as JSON
    value: Any
    valid_from: str
    # Null: current
    valid_to: Optional[str]


class ListItemVersionsAnswer(TypedDict):
    # The newest first, at most 20
    versions: List["ListItemVersionsAnswerVersions"]


class ListItemsAnswer(TypedDict):
    # By namespace and key
    items: List["Item"]
    limit: int
    # The next page begins here; null on the last page
    next_cursor: Optional[str]


class ListKeysAnswer(TypedDict):
    keys: List["ApiKey"]
    total: int


class ListMembersAnswer(TypedDict):
    # In the order in which they joined
    members: List["Member"]
    total: int
    page: int
    limit: int


class ListMemoriesAnswer(TypedDict):
    # Newest first, unless sort says otherwise
    memories: List["Memory"]
    total: int
    # Null when a cursor was given
    page: Optional[int]
    limit: int
    # The next page begins here; null on the last page. Follow it if a page ended early because of its size
    next_cursor: Optional[str]


class ListNamespacesAnswerNamespaces(TypedDict):
    namespace: str
    # Number of items
    items: int


class ListNamespacesAnswer(TypedDict):
    namespaces: List["ListNamespacesAnswerNamespaces"]
    limit: int
    # The next page begins here; null on the last page
    next_cursor: Optional[str]


class ListProjectsAnswerProjects(TypedDict):
    name: str
    # Current ones
    memories: int


class ListProjectsAnswer(TypedDict):
    # Those with the most memories first, at most 500
    projects: List["ListProjectsAnswerProjects"]


class ListSpacesAnswer(TypedDict):
    # In the order in which the user joined them
    spaces: List["Space"]
    total: int
    page: int
    limit: int


class ListUsersAnswerUsers(TypedDict):
    user_id: str
    # Including superseded and expired ones that are kept
    memories: int


class ListUsersAnswer(TypedDict):
    users: List["ListUsersAnswerUsers"]
    total: int
    page: int
    limit: int


class ListWebhooksAnswer(TypedDict):
    webhooks: List["Webhook"]
    total: int


class Member(TypedDict):
    # A user
    member: str
    # reader: reads. writer: also stores, updates and deletes memories. owner: also manages members and deletes the space
    role: Literal["reader", "writer", "owner"]
    joined_at: str


class _MemoryRequired(TypedDict):
    id: str
    # The owner; for a memory of a space, the id of the space
    user_id: str
    content: str
    # How it was created: UPDATE if it replaced the memories in supersedes
    action: Literal["ADD", "UPDATE"]
    # Relevance to a query; null where there is no query
    score: Optional[float]
    project: Optional[str]
    # Any keys and values: at most 16 KiB as JSON, 8 levels deep
    metadata: Dict[str, Any]
    # SHA-256 of the content
    checksum: str
    trust_score: float
    source: str
    entities: List[str]
    created_at: str
    updated_at: str
    expires_at: Optional[str]
    last_accessed: Optional[str]
    access_count: int
    decay_score: float
    flagged: bool
    superseded_at: Optional[str]
    # Id of the memory that replaced it
    superseded_by: Optional[str]


class Memory(_MemoryRequired, total=False):
    # Ids of the memories that it replaced; omitted when there are none
    supersedes: List[str]
    # Parts of the content that no longer hold, because a later memory changed them; omitted when there are none
    outdated: List["OutdatedPart"]
    # Only with include_expired
    expired: bool


class MemoryEventItem(TypedDict):
    """The item. Null for a memory, and with item.deleted if all items were erased: list them again"""

    namespace: str
    key: str
    # Null if it was deleted
    version: Optional[int]


class MemoryEvent(TypedDict):
    # Unique per user; later events have higher ids
    id: str
    type: Literal["memory.stored", "memory.updated", "memory.superseded", "memory.outdated", "memory.restored", "memory.expired", "memory.forgotten", "item.put", "item.deleted"]
    action: Literal["ADD", "UPDATE", "SUPERSEDE", "OUTDATE", "RESTORE", "EXPIRE", "FORGET", "CLEANUP"]
    user_id: str
    # Null for an item
    memory_id: Optional[str]
    # The item. Null for a memory, and with item.deleted if all items were erased: list them again
    item: Optional["MemoryEventItem"]
    # Null if the memory or item has no project, or the memory was forgotten
    project: Optional[str]
    # Checksum of the content after the event
    checksum: Optional[str]
    # The memories that it supersedes, or the memory that superseded it or made a part of it outdated
    related_memory_ids: List[str]
    time: str


class _MemoryVersionRequired(TypedDict):
    version: int
    content: str
    checksum: str
    # Any keys and values: at most 16 KiB as JSON, 8 levels deep
    metadata: Dict[str, Any]
    project: Optional[str]
    trust_score: float
    valid_from: str
    valid_to: Optional[str]
    expires_at: Optional[str]


class MemoryVersion(_MemoryVersionRequired, total=False):
    # Parts of the content that no longer hold, because a later memory changed them; omitted when there are none
    outdated: List["OutdatedPart"]


class MergeEntityAnswer(TypedDict):
    status: Literal["success"]
    merge: "EntityMerge"


class _MergeEntityRequestRequired(TypedDict):
    # The id of the entity to merge it into
    into: str


class MergeEntityRequest(_MergeEntityRequestRequired, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str


class MergedName(TypedDict):
    id: str
    name: str
    type: Literal["PERSON", "ORG", "LOCATION", "PRODUCT", "EVENT", "CONCEPT"]


class _MessageRequired(TypedDict):
    role: Literal["user", "assistant", "system", "tool"]
    # At most 50,000 characters after trimming; a blank message is skipped, but one must not be blank
    content: str


class Message(_MessageRequired, total=False):
    # Name of the speaker
    name: str
    # When it was said, for importing the past; not in the future
    created_at: str


class OutdatedPart(TypedDict):
    # The words that no longer hold
    text: str
    # Where they begin in the content, in UTF-16 code units
    start: int
    # Where they end: the first code unit after them
    end: int
    since: str
    # Id of the memory that replaced them; null if it was deleted
    by: Optional[str]


class Problem(TypedDict):
    """One problem with the request. If content protection refused the text, it also has trust_score and findings."""

    # The field, such as metadata.tags[2]; empty for the whole request
    path: str
    message: str


class ProfileLine(TypedDict):
    # The words of the memory that state the fact
    text: str
    memory_id: str
    # When the memory was created
    created_at: str
    # How sure it is a lasting fact
    confidence: float
    # Name of the person it is about; null: the user
    subject: Optional[str]


class Provenance(TypedDict):
    document_id: str
    source: str
    stored_at: str
    # The submitted text that the memory was extracted from, or that repeated it
    text: str


class PutItemAnswerRedacted(TypedDict):
    # Such as GitHub token
    kind: str
    # How many
    count: int


class _PutItemAnswerRequired(TypedDict):
    status: Literal["success"]
    # False: there was such an item
    created: bool
    item: "Item"


class PutItemAnswer(_PutItemAnswerRequired, total=False):
    # Secrets that were replaced by a mark such as [redacted: GitHub token]; omitted when there were none
    redacted: List["PutItemAnswerRedacted"]


class _PutItemRequestRequired(TypedDict):
    # Any JSON: a text, an object, a list. At most 50,000 characters as JSON
    value: Any


class PutItemRequest(_PutItemRequestRequired, total=False):
    # Time to live: a positive integer and a unit (min minutes, h hours, d days, w weeks, m or mo months of 30 days, y years of 365), such as 7d; or permanent
    ttl: str
    # What a search looks at: true (the default) for all of the value, false for nothing, or paths such as title, chapters[*].text and $
    index: Union[bool, List[str]]
    # Only if the item has this version, else 409; 0: only if there is no such item
    if_version: int


class _RecallMemoriesAnswerRequired(TypedDict):
    # Highest score first
    memories: List["RecalledMemory"]
    # The memories as text, one per line: [YYYY-MM-DD] content; (low trust) precedes the text of a memory that content protection doubts; (outdated since YYYY-MM-DD: …) marks a part that no longer holds
    context: str
    total: int


class RecallMemoriesAnswer(_RecallMemoriesAnswerRequired, total=False):
    # Size of the context in tokens; only with explain
    context_tokens: int
    # Where the search looked; only with explain. storage: a user has too many memories for an index in memory, so their stored index was read slice by slice
    searched_in: Literal["memory", "storage"]
    # Parts that failed and were skipped; omitted when nothing failed
    degraded: List[str]
    # Only with explain_memory_ids
    not_returned: List["UnreturnedMemory"]


class _RecallMemoriesRequestRequired(TypedDict):
    # 1 to 10,000 characters after trimming
    query: str


class RecallMemoriesRequest(_RecallMemoriesRequestRequired, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # Search these spaces instead of the memories of the user; own stands for the memories of the user
    spaces: List[str]
    # Only memories of this project; by default all projects
    project: str
    # Maximum number of memories; by default 10
    limit: int
    # Minimum score of a returned memory; by default 0
    threshold: float
    # Maximum size of the context, in tokens; by default 4000. Given without limit, the context holds all memories that fit
    max_tokens: int
    # Search by keywords and by the entity graph as well as by meaning; by default true
    enable_hybrid: bool
    # Rerank the best candidates with a second model; by default false
    enable_rerank: bool
    # The state at that moment, with the content that memories had then
    as_of: str
    # Only memories whose metadata has these values; at most 20 keys
    filters: Dict[str, Union[str, float, bool, None]]
    # Only memories that mention this entity; its id or one of its names
    entity: str
    # Only memories that pass this filter: fields with conditions, and, or, not
    filter: Dict[str, Any]
    # Include superseded memories; by default false
    include_history: bool
    # Include memories that content protection flagged; they are never part of the context; by default false
    include_flagged: bool
    # Show what each signal contributed; by default false
    explain: bool
    # Explain why these memories were not returned; memories that were returned are omitted
    explain_memory_ids: List[str]


class _RecalledMemoryRequired(TypedDict):
    id: str
    content: str
    # Relevance to the query, comparable across queries
    score: float
    # The score in words: strong from 0.5, possible from 0.15, weak from 0.05
    match: Literal["strong", "possible", "weak", "none"]
    created_at: str
    project: Optional[str]
    # Any keys and values: at most 16 KiB as JSON, 8 levels deep
    metadata: Dict[str, Any]
    source: str
    trust_score: float
    expires_at: Optional[str]


class RecalledMemory(_RecalledMemoryRequired, total=False):
    # Only with spaces: where it comes from; null: the memories of the user
    space: Optional[str]
    # Only with include_history
    superseded_at: Optional[str]
    # Only with include_flagged
    flagged: bool
    # Parts of the content that no longer hold, because a later memory changed them; omitted when there are none
    outdated: List["OutdatedPart"]
    explain: "Explanation"


class RedeliverEventsAnswer(TypedDict):
    status: Literal["success"]
    redelivering: int


class RedeliverEventsRequest(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # Only these events; by default all dead letters
    event_ids: List[str]


class Relationship(TypedDict):
    id: str
    # Name of the source entity
    source: str
    source_id: str
    # Name of the target entity
    target: str
    target_id: str
    type: Literal["WORKS_AT", "STUDIES_AT", "LIVES_IN", "LOCATED_IN", "BORN_IN", "MANAGES", "REPORTS_TO", "FOUNDED", "OWNS", "CREATED", "MEMBER_OF", "SPOUSE_OF", "PARENT_OF", "SIBLING_OF", "FRIEND_OF", "KNOWS", "LIKES", "DISLIKES", "USES", "VISITED", "ATTENDED", "RELATED_TO"]
    properties: Dict[str, str]
    valid_from: str
    valid_to: Optional[str]
    # Memories that support it
    memory_ids: List[str]


class ReleaseMemoryAnswer(TypedDict):
    status: Literal["success"]
    memory: "Memory"


class ReleaseMemoryRequest(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str


class _RenameSpaceRequestRequired(TypedDict):
    # A name for its members
    name: str


class RenameSpaceRequest(_RenameSpaceRequestRequired, total=False):
    # The member who acts; by default the user of the API key
    user_id: str


class RevokeGrantAnswer(TypedDict):
    status: Literal["success"]
    id: str
    revoked_at: str


class RevokeKeyAnswer(TypedDict):
    status: Literal["success"]
    id: str
    revoked_at: str


class RunCleanupAnswerMemories(TypedDict):
    id: str
    content: str
    expired_at: str


class RunCleanupAnswer(TypedDict):
    status: Literal["success"]
    deleted: int
    # Memories that had expired when the cleanup began
    would_delete: int
    dry_run: bool
    # The first 100 of these memories
    memories: List["RunCleanupAnswerMemories"]


class RunCleanupRequest(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str
    # Only memories of this project; by default all projects
    project: str
    # Only preview; false deletes the expired memories; by default true
    dry_run: bool


class SearchItemsAnswerItems(TypedDict):
    namespace: str
    key: str
    project: Optional[str]
    # Any JSON: a text, an object, a list. At most 50,000 characters as JSON
    value: Any
    # Grows with every change; numbers have gaps
    version: int
    trust_score: float
    # Content protection flagged it: a search leaves it out
    flagged: bool
    created_at: str
    updated_at: str
    expires_at: Optional[str]
    # Relevance to the query; null without one
    score: Optional[float]


class _SearchItemsAnswerRequired(TypedDict):
    items: List["SearchItemsAnswerItems"]


class SearchItemsAnswer(_SearchItemsAnswerRequired, total=False):
    # Parts that failed and were skipped; omitted when nothing failed
    degraded: List[str]


class SearchItemsRequest(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str
    # The project that the items belong to; by default those outside every project
    project: str
    # 1 to 10,000 characters; by default, the latest changes are returned
    query: str
    # Labels separated by dots, such as users.42.settings
    namespace: str
    # This namespace and those below it
    prefix: str
    # Conditions on the value, as in a recall: {"value.status": "open", "value.priority": {"gte": 3}}
    filter: Dict[str, Any]
    # Minimum score; 0 by default
    threshold: float
    # Also items that content protection flagged
    include_flagged: bool
    # Maximum number of items; 10 by default
    limit: int
    # Number of items to skip
    offset: int


class SetMemberAnswer(TypedDict):
    status: Literal["success"]
    id: str
    member: str


class _SetMemberRequestRequired(TypedDict):
    # The user whom it is about
    member: str
    # reader: reads. writer: also stores, updates and deletes memories. owner: also manages members and deletes the space
    role: Literal["reader", "writer", "owner"]


class SetMemberRequest(_SetMemberRequestRequired, total=False):
    # The member who acts; by default the user of the API key
    user_id: str


class Space(TypedDict):
    id: str
    name: str
    # The role of the caller
    role: Literal["reader", "writer", "owner"]
    created_at: str


class StoreBatchAnswer(TypedDict):
    status: Literal["success"]
    stored: int
    refused: int
    failed: int
    # One per item, in order
    results: List["BatchResult"]


class _StoreBatchRequestRequired(TypedDict):
    # Texts with the fields of a single store, in the order in which they were said; all items together at most 1 MiB
    items: List["StoreItem"]


class StoreBatchRequest(_StoreBatchRequestRequired, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str


class StoreItem(TypedDict, total=False):
    # 1 to 50,000 characters after trimming
    content: str
    # A conversation instead of content; at most 50,000 characters in total
    messages: List["Message"]
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str
    # The project that it belongs to; by default none
    project: str
    # Any keys and values: at most 16 KiB as JSON, 8 levels deep
    metadata: Dict[str, Any]
    # Time to live: a positive integer and a unit (min minutes, h hours, d days, w weeks, m or mo months of 30 days, y years of 365), such as 7d; or permanent
    ttl: str
    # When it was said, for importing the past; not in the future
    created_at: str
    # Where the text comes from; by default api
    source: str
    # Turns of one conversation that are sent one by one: each is understood as if the previous ones, up to six hours earlier, had been in the same request; by default all turns with the same source
    conversation_id: str
    # Store everything that the assistant says; by default its questions, offers and repetitions of what the user just said make no memory
    remember_assistant: bool
    # Like the Idempotency-Key of a single store, for this item; by default the header of the batch, if there is one, with the index of the item
    idempotency_key: str


class StoreMemoriesAnswerRedacted(TypedDict):
    # Such as GitHub token
    kind: str
    # How many
    count: int


class _StoreMemoriesAnswerRequired(TypedDict):
    status: Literal["success"]
    # Empty if the text states nothing: greetings, thanks, reactions, questions
    memories: List["StoredMemory"]
    entities_extracted: int
    relationships_created: int


class StoreMemoriesAnswer(_StoreMemoriesAnswerRequired, total=False):
    # Parts that failed and were skipped; omitted when nothing failed
    degraded: List[str]
    # Secrets that were replaced by a mark such as [redacted: GitHub token]; omitted when there were none
    redacted: List["StoreMemoriesAnswerRedacted"]


class StoreMemoriesRequest(TypedDict, total=False):
    # 1 to 50,000 characters after trimming
    content: str
    # A conversation instead of content; at most 50,000 characters in total
    messages: List["Message"]
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str
    # The project that it belongs to; by default none
    project: str
    # Any keys and values: at most 16 KiB as JSON, 8 levels deep
    metadata: Dict[str, Any]
    # Time to live: a positive integer and a unit (min minutes, h hours, d days, w weeks, m or mo months of 30 days, y years of 365), such as 7d; or permanent
    ttl: str
    # When it was said, for importing the past; not in the future
    created_at: str
    # Where the text comes from; by default api
    source: str
    # Turns of one conversation that are sent one by one: each is understood as if the previous ones, up to six hours earlier, had been in the same request; by default all turns with the same source
    conversation_id: str
    # Store everything that the assistant says; by default its questions, offers and repetitions of what the user just said make no memory
    remember_assistant: bool


class _StoredMemoryRequired(TypedDict):
    id: str
    content: str
    # NOOP: the user already has this memory; UPDATE: it replaces the memories in supersedes
    action: Literal["ADD", "NOOP", "UPDATE"]
    entities: List[str]
    project: Optional[str]
    created_at: str
    expires_at: Optional[str]
    trust_score: float
    # SHA-256 of the content
    checksum: str
    source: str


class StoredMemory(_StoredMemoryRequired, total=False):
    # True if content protection flagged it: it is kept, but not recalled; omitted otherwise
    flagged: bool
    # Ids of the memories that it replaces; omitted when there are none
    supersedes: List[str]
    # Parts of the content that no longer hold, because a later memory changed them; omitted when there are none
    outdated: List["OutdatedPart"]


class _UnreturnedMemoryRequired(TypedDict):
    id: str
    # not_found: the user has no memory with this id; not_a_candidate: other memories were closer to the query
    reason: Literal["below_threshold", "beyond_limit", "not_a_candidate", "expired", "superseded", "created_later", "flagged", "other_project", "filtered", "failed_checksum", "not_found"]


class UnreturnedMemory(_UnreturnedMemoryRequired, total=False):
    # The score it got, or would have got as a candidate; omitted if it was not searched
    score: float
    # The rank by this score
    rank: int
    explain: "Explanation"


class UpdateMemoryAnswerRedacted(TypedDict):
    # Such as GitHub token
    kind: str
    # How many
    count: int


class _UpdateMemoryAnswerRequired(TypedDict):
    status: Literal["success"]
    memory: "Memory"


class UpdateMemoryAnswer(_UpdateMemoryAnswerRequired, total=False):
    # Parts that failed and were skipped; omitted when nothing failed
    degraded: List[str]
    # Secrets that were replaced by a mark such as [redacted: GitHub token]; omitted when there were none
    redacted: List["UpdateMemoryAnswerRedacted"]


class UpdateMemoryRequest(TypedDict, total=False):
    # 1 to 50,000 characters after trimming
    content: str
    # Any keys and values: at most 16 KiB as JSON, 8 levels deep
    metadata: Dict[str, Any]
    # Time to live from now; permanent removes the expiry
    ttl: str
    # Moves the memory to this project; null removes it from its project
    project: Optional[str]
    # The owner of the memory; checked if given
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str


class Webhook(TypedDict):
    id: str
    user_id: str
    url: str
    events: List[Literal["memory.stored", "memory.updated", "memory.superseded", "memory.outdated", "memory.restored", "memory.expired", "memory.forgotten", "item.put", "item.deleted"]]
    project: Optional[str]
    status: Literal["active", "retrying", "failing"]
    # Attempts to deliver the current event
    attempts: int
    next_attempt_at: Optional[str]
    last_attempt_at: Optional[str]
    last_success_at: Optional[str]
    last_status: Optional[int]
    last_error: Optional[str]
    dead_letters: int
    created_at: str
    # The id of the key that created it
    created_by: Optional[str]


class AcceptContradictionQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str


class DeleteItemQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str
    # The project that the items belong to; by default those outside every project
    project: str
    # Only if the item has this version, else 409; 0: only if there is no such item
    if_version: int


class DeleteItemsQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str
    # The project that the items belong to; by default those outside every project
    project: str
    # Labels separated by dots, such as users.42.settings
    namespace: str
    # This namespace and those below it
    prefix: str


class DeleteMemoriesQuery(TypedDict, total=False):
    # Delete these memories: ids separated by commas
    memory_ids: str
    # Delete the memories that pass this filter: JSON
    filter: str
    # Delete all memories of the user, or of the project
    all: Literal[True]
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str
    # Only memories of this project; by default all projects
    project: str


class DeleteMemoryQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str


class DeleteSpaceQuery(TypedDict, total=False):
    # The member who acts; by default the user of the API key
    user_id: str


class DeleteWebhookQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str


class GetActivityQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str
    # Only memories of this project; by default all projects
    project: str


class GetContradictionQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str


class GetDecayReportQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str
    # Only memories of this project; by default all projects
    project: str
    # Calculate with this half-life instead of the configured one
    half_life_days: float
    # Calculate with this weight per access instead of the configured one
    access_boost_weight: float
    # Items per page, at most 500
    limit: int
    # Page number, from 1 (the default); cannot be combined with cursor
    page: int
    # next_cursor of the previous page
    cursor: str


class GetEntityQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str
    # The state at that moment; names and merges are the current ones
    as_of: str


class GetEntityMemoriesQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str
    # The state at that moment; names and merges are the current ones
    as_of: str
    # Items per page, at most 500
    limit: int
    # Page number, from 1 (the default); cannot be combined with cursor
    page: int
    # next_cursor of the previous page
    cursor: str


class GetEntityRelationshipsQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str
    # Only relationships that were valid at that moment
    as_of: str
    # Include relationships that are no longer valid
    include_history: bool


class GetGraphQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str
    # Only memories of this project; by default all projects
    project: str
    # The state at that moment; names and merges are the current ones
    as_of: str
    # Maximum number of entities, up to 2000
    limit: int


class GetItemQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str
    # The project that the items belong to; by default those outside every project
    project: str
    # The item as it was then; a deleted item has no past
    as_of: str


class GetMemoryQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str


class GetMemoryDecayQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str
    # Calculate with this half-life instead of the configured one
    half_life_days: float
    # Calculate with this weight per access instead of the configured one
    access_boost_weight: float
    # Days from now to forecast, separated by commas; by default 7,30,90,365
    forecast_days: str


class GetMemoryHistoryQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str
    # Versions and texts per page, at most 500
    limit: int
    # next_cursor of the previous page
    cursor: str


class GetProfileQuery(TypedDict, total=False):
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str
    # Only memories of this project; by default all projects
    project: str
    # Maximum size of `text`, in tokens
    max_tokens: int
    # The state at that moment: what was known then
    as_of: str
    # Only these topics, separated by commas; by default all: identity, people, home, work, health, preferences, possessions, plans, projects, other
    topics: str


class GetSpaceQuery(TypedDict, total=False):
    # The member who acts; by default the user of the API key
    user_id: str


class GetWebhookQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str


class ListContradictionsQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str
    # Only memories of this project; by default all projects
    project: str
    status: Literal["applied", "open", "accepted", "reverted"]
    # Include contradictions with an expired memory
    include_expired: bool
    # Items per page, at most 500
    limit: int
    # Page number, from 1 (the default); cannot be combined with cursor
    page: int
    # next_cursor of the previous page
    cursor: str


class ListDeadLettersQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # Items per page, at most 1000
    limit: int


class ListEntitiesQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str
    # Only memories of this project; by default all projects
    project: str
    type: Literal["PERSON", "ORG", "LOCATION", "PRODUCT", "EVENT", "CONCEPT"]
    # Only entities whose name or alias contains this text
    q: str
    # The state at that moment; names and merges are the current ones
    as_of: str
    # Items per page, at most 500
    limit: int
    # Page number, from 1
    page: int


class ListEntityMergesQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str


class ListEventsQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # Only memories of this project; by default all projects
    project: str
    # Only events after this one; 0 for all events that are kept. The Last-Event-ID header takes precedence
    since: str
    # Items per page, at most 1000
    limit: int


class ListGrantsQuery(TypedDict, total=False):
    # Only grants of this user; by default the user of the API key, or all with the master key
    user_id: str


class ListItemVersionsQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str
    # The project that the items belong to; by default those outside every project
    project: str


class ListItemsQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str
    # The project that the items belong to; by default those outside every project
    project: str
    # Labels separated by dots, such as users.42.settings
    namespace: str
    # This namespace and those below it
    prefix: str
    # Items per page, at most 500
    limit: int
    # next_cursor of the previous page
    cursor: str


class ListKeysQuery(TypedDict, total=False):
    # Only keys of this user
    user_id: str


class ListMembersQuery(TypedDict, total=False):
    # The member who acts; by default the user of the API key
    user_id: str
    # Items per page, at most 500
    limit: int
    # Page number, from 1
    page: int


class ListMemoriesQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str
    # Only memories of this project; by default all projects
    project: str
    # Items per page, at most 500
    limit: int
    # Page number, from 1 (the default); cannot be combined with cursor
    page: int
    # next_cursor of the previous page
    cursor: str
    # Include expired memories that are not purged yet
    include_expired: bool
    # true: only memories that content protection flagged; false: only the others
    flagged: bool
    # Only memories whose content contains this text, ignoring case
    q: str
    # Only memories that pass this filter: JSON, as in a recall
    filter: str
    # The state at that moment, with the content that memories had then
    as_of: str
    # created_at: newest first. expires_at: only memories that expire, soonest first. A cursor continues the same order
    sort: Literal["created_at", "expires_at"]


class ListNamespacesQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str
    # The project that the items belong to; by default those outside every project
    project: str
    # This namespace and those below it
    prefix: str
    # Items per page, at most 1000
    limit: int
    # next_cursor of the previous page
    cursor: str


class ListProjectsQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str


class ListSpacesQuery(TypedDict, total=False):
    # The member who acts; by default the user of the API key
    user_id: str
    # Items per page, at most 100
    limit: int
    # Page number, from 1
    page: int


class ListUsersQuery(TypedDict, total=False):
    # Only users whose id contains this text, ignoring case
    q: str
    # Items per page, at most 500
    limit: int
    # Page number, from 1 (the default); cannot be combined with cursor
    page: int


class ListWebhooksQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str


class MergeEntityQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str


class PutItemQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str
    # The project that the items belong to; by default those outside every project
    project: str


class RedeliverEventsQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str


class ReleaseMemoryQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str


class RemoveMemberQuery(TypedDict, total=False):
    # The member to remove; by default the caller
    member: str
    # The member who acts; by default the user of the API key
    user_id: str


class RevertContradictionQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str


class RevertMergeQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str


class RevokeGrantQuery(TypedDict, total=False):
    # Only grants of this user; by default the user of the API key, or all with the master key
    user_id: str


class UpdateMemoryQuery(TypedDict, total=False):
    # The owner of the memories; by default the user of the API key
    user_id: str
    # The id of a space: its memories instead of those of the user. Without a membership it does not exist
    space: str
