/**
 * Cause and remedy of the error codes that no schema raises; those of schemas name the member and
 * what it takes. Causes complete "raised when", remedies are orders.
 */
import type { ErrorCode } from '../../src/core/error-codes.ts';

export interface ErrorRemedy {
  readonly cause: string;
  readonly remedy: string;
}

const remedy = (cause: string, order: string): ErrorRemedy => ({ cause, remedy: order });

const RETRY = 'Repeat the request after the seconds of `Retry-After`.';
const REPORT = 'Report it with the lines of the log: it is a bug.';
const OLD = remedy(
  'kept from older versions of the convention; this server never answers with it',
  'Nothing to do.',
);
const SHARDING = remedy(
  'part of the sharding of the convention, which this server does not offer',
  'Use `useNetwork` searches instead.',
);
const S3 = remedy(
  'part of snapshots to S3 of the convention, which this server does not offer',
  'Copy snapshots by a program of yours.',
);
const NO_DOCUMENTS_KEY =
  'Name the primary key: `?primaryKey=FIELD` at the first import, or `PATCH /indexes/{uid}`.';
const REMOTE = 'Ask the operator of the remote instance; the other instances have answered.';

export const ERROR_REMEDIES: Partial<Readonly<Record<ErrorCode, ErrorRemedy>>> = {
  api_key_already_exists: remedy(
    'a key with this `uid` exists already',
    'Leave `uid` out, or change the existing key by `PATCH /keys/{uid}`.',
  ),
  alias_already_exists: remedy(
    'an index would get the name of an alias',
    'Use another name, or delete the alias: `DELETE /aliases/NAME`.',
  ),
  alias_not_found: remedy('no alias has this name', 'Look for it with `GET /aliases`.'),
  api_key_not_found: remedy('no key has this uid or value', 'Look for it with `GET /keys`.'),
  bad_parameter: OLD,
  bad_request: remedy(
    'the request has an unknown parameter, or a value of a wrong type in a member without a code of its own',
    'The message names it, and the nearest known one.',
  ),
  invalid_analytics_parameter: remedy(
    'a parameter of a report has an unknown name, or a value that is not allowed',
    'The message names it and what is allowed; days have the form `2026-11-26`.',
  ),
  invalid_audit_log_parameter: remedy(
    'a parameter of the audit log has an unknown name, or a value that is not allowed',
    '`from` is a day such as `2026-11-26`, or `next` of the page before.',
  ),
  invalid_event: remedy(
    'an event lacks a member, or has one of a wrong type or value',
    'The message names the member and what is allowed; see docs/analytics.md for both forms.',
  ),
  backup_not_found: remedy(
    'no dump and no snapshot has this name in `--dump-dir` and `--snapshot-dir` of this front',
    'List the files with `GET /backups`; give fronts and indexer the same folders.',
  ),
  batch_not_found: remedy(
    'no batch has this number, or the key may not see it',
    'List the batches with `GET /batches`.',
  ),
  chat_not_found: remedy(
    'no workspace has this name',
    'Make it by `PATCH /chats/{workspace}/settings`.',
  ),
  database_size_limit_reached: OLD,
  document_not_found: remedy(
    'no document of the index has this id',
    'Ids are compared with their case; look at `GET /indexes/{uid}/documents`.',
  ),
  dump_already_processing: OLD,
  dump_not_found: OLD,
  dump_process_failed: remedy(
    'a dump could not be written',
    'Its message has the reason of the system; make room in `--dump-dir`, or change its owner.',
  ),
  duplicate_index_found: OLD,
  dynamic_search_rule_not_found: remedy(
    'no rule has this name',
    'List the rules with `POST /dynamic-search-rules`.',
  ),
  edit_documents_by_function_error: remedy(
    'the function of a document edit failed, or left no document with its id',
    'Its message names the document and the line; try it with a `filter` for that document.',
  ),
  facet_search_disabled: remedy(
    'the setting `facetSearch` is false',
    'Set it to true; `facets` of searches work without it.',
  ),
  feature_not_enabled: remedy(
    'the route, parameter or setting belongs to an experimental feature that is off',
    'Turn it on: `PATCH /experimental-features`.',
  ),
  identity_provider_unavailable: remedy(
    'the keys of the OpenID provider could not be fetched, and none are left from the last hour',
    RETRY,
  ),
  immutable_api_key_key: OLD,
  immutable_webhook: remedy(
    'the webhook comes from the launch options',
    'Change `--task-webhook-url` and restart.',
  ),
  import_task_already_received: SHARDING,
  import_task_unknown_remote: SHARDING,
  import_task_without_network_task: SHARDING,
  inconsistent_document_change_headers: SHARDING,
  index_already_exists: remedy(
    'an index of this name exists, of a creation, a new name or a swap with `rename`',
    'Choose another name, or delete that index first.',
  ),
  index_creation_failed: remedy('the files of an index could not be created', REPORT),
  index_not_found: remedy(
    'no index has this name',
    'Names are compared with their case. Adding documents creates an index; wait for the task.',
  ),
  index_primary_key_already_exists: remedy(
    'the index has another primary key and documents',
    'Leave `primaryKey` out, or import into a new index.',
  ),
  index_primary_key_multiple_candidates_found: remedy(
    'several attributes of the first document end with `id`',
    NO_DOCUMENTS_KEY,
  ),
  index_primary_key_no_candidate_found: remedy(
    'no attribute of the first document ends with `id`',
    NO_DOCUMENTS_KEY,
  ),
  index_scoped_api_key_with_global_action: remedy(
    'a key for some indexes was to get an action on the whole instance',
    'Give it `"indexes": ["*"]`, or leave the action out.',
  ),
  indexer_unavailable: remedy('the indexer restarts, or the server stops', RETRY),
  internal: remedy('the server met something unexpected', REPORT),
  invalid_api_key: remedy(
    'the key is unknown or has expired, or may not do this on this index',
    'Compare it with `gannet keys list --values`. After a change of the master key all keys differ.',
  ),
  invalid_chat_completion_pre_query_prompt: OLD,
  invalid_chat_completion_prompts: remedy(
    'the prompts of a workspace are too long or no texts',
    'A prompt has at most 50,000 characters.',
  ),
  invalid_chat_completion_source: OLD,
  invalid_content_type: remedy(
    'the body has a content type that the route does not take',
    'Send `Content-Type: application/json`; documents also as `application/x-ndjson` or `text/csv`.',
  ),
  invalid_document_geo_field: remedy(
    '`_geo` of a document has no `lat` from -90 to 90 and `lng` from -180 to 180',
    'Correct the document, or leave `_geo` out.',
  ),
  invalid_document_geojson_field: remedy(
    '`_geojson` of a document is no GeoJSON geometry',
    'Correct the document that the message names.',
  ),
  invalid_document_id: remedy(
    'the id of a document is no whole number and no text of `A-Z a-z 0-9 _ -`',
    'Change the ids: replace other characters, at most 511 of them.',
  ),
  invalid_document_retrieve: OLD,
  invalid_export_indexes_patterns: remedy(
    'a member of `indexes` is named by no pattern of indexes',
    'Name each by an index uid, the beginning of one followed by `*`, or `*`.',
  ),
  invalid_facet_search_name: OLD,
  invalid_header_value: remedy(
    'a header has a value that it cannot have',
    'The message names the header and its values.',
  ),
  invalid_index_custom_metadata: OLD,
  invalid_multi_search_distinct: remedy(
    '`federation.distinct` names an attribute that is not filterable in an index',
    'Add it to `filterableAttributes` of each index.',
  ),
  invalid_multi_search_group_by: remedy(
    '`groupBy` stands in a federated query, or `federation.groupBy` meets `distinct`',
    'Give `federation.groupBy` alone.',
  ),
  invalid_multi_search_facet_order: remedy(
    'indexes of a merged facet have different orders of its values',
    'Give `mergeFacets.sortFacetValuesBy`, or set the same order in each index.',
  ),
  invalid_alias_name: remedy(
    'the address has no valid name of an alias',
    'Use 1 to 400 characters of `A-Z a-z 0-9 _ -`.',
  ),
  invalid_multi_search_federation_options: remedy(
    'a query has `federationOptions` without `federation`, or both `remote` and `useNetwork`',
    'Add `federation: {}` to the request, or leave the options out.',
  ),
  invalid_multi_search_facets: OLD,
  invalid_multi_search_federated: OLD,
  invalid_multi_search_query_aggregations: remedy(
    'a query of a federated search has `aggregations`',
    'Send the query apart, with `limit` 0.',
  ),
  invalid_multi_search_query_diversity: remedy(
    'a query of a federated search has `diversity`',
    'Leave it out, or send the query without `federation`.',
  ),
  invalid_multi_search_query_facets: remedy(
    'a query of a federated search has `facets`',
    'Move them to `federation.facetsByIndex`.',
  ),
  invalid_multi_search_query_pagination: remedy(
    'a query of a federated search has `limit`, `offset`, `page` or `hitsPerPage`',
    'Move them to `federation`.',
  ),
  invalid_multi_search_query_personalization: remedy(
    'a query of a federated search has `personalize`',
    'Move it to `federation`.',
  ),
  invalid_multi_search_query_ranking_rules: remedy(
    'indexes of a federated search sort by rules that cannot be compared',
    'Give their `rankingRules` the same order of custom rules and `sort`.',
  ),
  invalid_multi_search_query_rerank: remedy(
    'a query of a federated search has `rerank`',
    'Move it to `federation`.',
  ),
  invalid_multi_search_query_show_performance_details: remedy(
    'a query of a federated search has `showPerformanceDetails`',
    'Move it to `federation`.',
  ),
  invalid_s3_snapshot_parameters: S3,
  invalid_s3_snapshot_request: S3,
  invalid_search_media: remedy(
    '`media` fits no search fragment of the embedder, or several',
    'Compare its members with `searchFragments` of the embedder.',
  ),
  invalid_search_media_and_vector: remedy(
    'a search has both `media` and `vector`',
    'Send one of them.',
  ),
  invalid_state: remedy('the server found data in a state that cannot be', REPORT),
  invalid_store_file: remedy(
    'a file of the index is damaged',
    'Look into the log of the system; delete the index and import again, or restore a snapshot.',
  ),
  invalid_swap_duplicate_index_found: remedy(
    'one request swaps an index twice',
    'Name each index once, or send several requests.',
  ),
  invalid_vector_dimensions: remedy(
    'a vector has another number of dimensions than the embedder',
    'Use the same model for documents and searches.',
  ),
  invalid_vectors_type: remedy(
    '`_vectors` of a document has a wrong form',
    'Send `{"EMBEDDER": [numbers]}` or `{"EMBEDDER": {"embeddings": …, "regenerate": false}}`.',
  ),
  invalid_webhook_uuid: remedy('the address has no UUID', 'List the webhooks: `GET /webhooks`.'),
  invalid_webhooks: remedy('there are 20 webhooks already', 'Delete one.'),
  io_error: remedy(
    'the system could not read or write a file',
    'Look into its log (`dmesg`); replace the disk before it loses more.',
  ),
  malformed_payload: remedy(
    'the body is no JSON, NDJSON or CSV of the announced form',
    'The message names line and column; check `Content-Type` and quotes of the shell.',
  ),
  max_fields_limit_exceeded: remedy(
    'the documents of an index have more than 65,535 different attributes',
    'Do not use values as names of attributes.',
  ),
  missing_authorization_header: remedy(
    'the server has a master key and the request no key',
    'Send `Authorization: Bearer KEY`.',
  ),
  missing_content_type: remedy(
    'the request has a body and no content type',
    'Send `Content-Type: application/json`.',
  ),
  missing_document_id: remedy(
    'a document lacks the primary key',
    'Add it to the document, or name another primary key before the first import.',
  ),
  missing_master_key: remedy(
    'keys are asked for on a server without a master key',
    'Start the server with `--master-key-file` or `SVC_MASTER_KEY`.',
  ),
  missing_network_url: remedy('a remote instance has no `url`', 'Add its address.'),
  missing_payload: remedy('the body is empty', 'Send the documents or the object as body.'),
  missing_search_hybrid: remedy(
    'a search has `vector` or `media` and no `hybrid`',
    'Add `"hybrid": {"embedder": NAME}`.',
  ),
  missing_task_filters: remedy(
    'tasks are to be canceled or deleted without saying which',
    'Add a filter such as `?statuses=enqueued`, or `?uids=*` for all.',
  ),
  network_version_mismatch: SHARDING,
  network_version_too_old: SHARDING,
  no_space_left_on_device: remedy(
    'the disk of the data folder is full, or the list of tasks is',
    'Make room, or delete finished tasks; then send again what failed.',
  ),
  not_found_similar_id: remedy(
    'similar documents are asked for a document that does not exist',
    'Check the id; a filter of the token may hide it.',
  ),
  not_leader: SHARDING,
  payload_memory_exhausted: remedy('other requests fill the memory for bodies', RETRY),
  payload_too_large: remedy(
    'the body is larger than the server takes',
    'Send parts, as `gannet import` does, or raise `--http-payload-size-limit`.',
  ),
  receive_import_finished_unknown_remote: SHARDING,
  remote_bad_request: remedy('a remote instance refused the search', REMOTE),
  remote_bad_response: remedy('a remote instance answered what is no search answer', REMOTE),
  remote_could_not_send_request: remedy('a remote instance could not be reached', REMOTE),
  remote_invalid_api_key: remedy(
    'a remote instance refused the key',
    'Correct `searchApiKey` in `PATCH /network`.',
  ),
  remote_remote_error: remedy('a remote instance failed', REMOTE),
  remote_timeout: remedy('a remote instance took too long', REMOTE),
  reranking_error: remedy(
    'a reranker failed or took too long; the search was answered in its own order',
    'Its answer is in the message: check key, model, address and `timeoutMs`.',
  ),
  render_document_not_found: remedy(
    'the document of a template does not exist',
    'Check index and id.',
  ),
  requires_enterprise_edition: remedy(
    'the setting belongs to the enterprise edition of the convention',
    'Leave it out.',
  ),
  response_too_large: remedy(
    'the answer would be larger than `--max-response-size`',
    'Ask for fewer hits or attributes, or for cropped ones.',
  ),
  s3_snapshot_server_error: S3,
  search_timeout: remedy(
    'the search took longer than `--search-timeout-seconds`',
    'See which step is slow by `showPerformanceDetails`; narrow the search.',
  ),
  task_file_not_found: remedy(
    'the documents of a task are gone, because it has ended',
    'Ask while the task waits.',
  ),
  task_not_found: remedy(
    'no task has this number, or the key may not see it, or it was deleted',
    'List the tasks with `GET /tasks`.',
  ),
  task_not_served: remedy(
    'the node does not serve the result of the task in `X-Gannet-Min-Task` yet',
    RETRY,
  ),
  template_parsing_error: remedy(
    'a document template is no valid Liquid',
    'The message names the place; try it by `POST /render-template`.',
  ),
  template_rendering_error: remedy(
    'a document template names what a document lacks',
    'Use `{% if doc.FIELD %}`, or correct the name.',
  ),
  too_many_open_files: remedy(
    'the system allows too few open files',
    'Raise the limit: `ulimit -n 65536`, or `LimitNOFILE=` of systemd.',
  ),
  too_many_requests: remedy(
    'the key has sent more than its `requestsPerSecond`, or the address too many wrong keys',
    RETRY,
  ),
  too_many_search_requests: remedy('more searches wait than the queue holds', RETRY),
  too_many_vectors: OLD,
  unimplemented_external_function_calling: remedy(
    'a chat declares a tool of the client that is none of the known ones',
    'Leave it out of `tools`.',
  ),
  unimplemented_multi_choice_chat_completions: remedy(
    'a chat asks for several answers',
    'Leave `n` out.',
  ),
  unimplemented_non_streaming_chat_completions: remedy(
    'a chat does not stream',
    'Send `"stream": true`.',
  ),
  unknown_remote: SHARDING,
  unprocessed_network_task: SHARDING,
  unretrievable_document: remedy('a stored document could not be read', REPORT),
  unretrievable_error_code: OLD,
  unsupported_media_type: OLD,
  vector_embedding_error: remedy(
    'the provider of an embedder failed',
    'Its answer is in the message: check key, model and address; then send again what failed.',
  ),
  webhook_not_found: remedy('no webhook has this UUID', 'List the webhooks: `GET /webhooks`.'),
  writer_unavailable: remedy(
    'no node of the object store writes at the moment, or the connection to it broke',
    RETRY,
  ),
};
