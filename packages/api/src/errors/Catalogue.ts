/** What is known of one error code before any request is made. */
export interface CatalogueEntry {
  /** The HTTP status that carries the code. */
  readonly status: ErrorStatus
  /** The message sent unless the refusal says something more exact. Messages are not stable; codes are. */
  readonly message: string
  /** Whether the very same request, sent again later with the same idempotency key, may succeed. */
  readonly retryable: boolean
  /** One sentence for the reference: when it happens and what to do. */
  readonly doc: string
  /** Seconds of `Retry-After` when the refusal names none of its own. */
  readonly retryAfterSeconds?: number
}

/** The statuses that carry an error body. */
export type ErrorStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 422 | 429 | 500 | 503

const entry = <const S extends ErrorStatus>(status: S, message: string, doc: string) => ({
  status,
  message,
  retryable: false,
  doc
})

const retryable = <const S extends ErrorStatus>(
  status: S,
  message: string,
  doc: string,
  retryAfterSeconds: number
) => ({ status, message, retryable: true, doc, retryAfterSeconds })

/**
 * The error catalogue: every code that the interface may answer, with its status, default message and explanation.
 *
 * A code is never renamed, removed or moved to another status within v1; new codes may be added.
 */
export const Catalogue = {
  malformed_request: entry(
    400,
    "The request cannot be parsed.",
    "The body is not JSON or not UTF-8, or a header cannot be parsed; correct the request's syntax."
  ),

  key_missing: entry(
    401,
    "An API key is required.",
    "The `Authorization: Bearer <API_KEY>` header is missing or uses another scheme; send the key."
  ),
  key_invalid: entry(
    401,
    "The API key is not valid.",
    "The key is unknown, revoked, expired, or used from an address outside its tenant's allowlist; these cases look alike on purpose."
  ),
  signature_missing: entry(
    401,
    "This operation must be signed.",
    "The operation needs a signature, and the request has no `Signature`, `Signature-Input` or `Content-Digest` header; sign the request."
  ),
  signature_malformed: entry(
    401,
    "The signature headers cannot be read.",
    "The signature headers are not valid structured fields, or carry more than one label; follow the signature profile."
  ),
  signature_key_unknown: entry(
    401,
    "The signing key is not known for this API key.",
    "`keyid` names no active public key bound to this API key; ask an operator to register it."
  ),
  signature_coverage_insufficient: entry(
    401,
    "The signature does not cover the required components.",
    "The covered components are not exactly those of the signature profile; see `Accept-Signature`."
  ),
  signature_expired: entry(
    401,
    "The signature is outside its time window.",
    "`created` or `expires` is out of range after 60 seconds of clock skew; check the clock and sign again."
  ),
  signature_replayed: entry(
    401,
    "The signature's nonce was already used.",
    "The nonce belongs to another request; sign again with a fresh nonce, or repeat the first request unchanged."
  ),
  signature_invalid: entry(
    401,
    "The signature does not verify.",
    "The signature is not that of the named key over this request; compare the signature base byte by byte."
  ),
  digest_mismatch: entry(
    401,
    "The content digest does not match the body.",
    "`Content-Digest` is not the SHA-256 of the bytes received; hash exactly the bytes that you send."
  ),

  address_not_allowed: entry(
    403,
    "This address is not allowed.",
    "No tenant allows the caller's IP address; the key was not read."
  ),
  scope_missing: entry(
    403,
    "The API key lacks the required scope.",
    "`detail.required_scope` names the scope that the operation needs; use a key that holds it."
  ),
  tenant_suspended: entry(403, "The tenant is suspended.", "The tenant is not active; an operator must activate it."),
  product_not_enabled: entry(
    403,
    "This product is not enabled.",
    "The operation's product is not enabled for the tenant or in this service; ask the operators."
  ),

  not_found: entry(
    404,
    "No such resource.",
    "The record does not exist, is of another kind, or belongs to another tenant; the answer is the same in all three cases."
  ),
  no_operation_for_key: entry(
    404,
    "No operation was committed under this idempotency key.",
    "Nothing is recorded under the key; a request in progress gives the same answer, so ask again before you conclude anything."
  ),
  method_not_allowed: entry(
    405,
    "The method is not allowed on this path.",
    "The path exists with other methods; see the `Allow` header."
  ),

  idempotency_in_flight: retryable(
    409,
    "A request with this idempotency key is still being processed.",
    "Another request under the same key has not finished; repeat this one unchanged after `Retry-After`.",
    1
  ),
  sweep_hold_by_operator: entry(
    409,
    "The sweep hold was set by an operator.",
    "Only the service's operators can release a hold of kind OPERATOR."
  ),
  xpub_already_live: entry(
    409,
    "A live xpub already exists on this network.",
    "Only one xpub can be live per network; retire the current one first."
  ),
  external_id_taken: entry(
    409,
    "The external id belongs to another customer.",
    "`external_id` is unique within the tenant; use the customer that holds it."
  ),
  quote_already_used: entry(409, "The quote was already used.", "A quote prices one operation; ask for a new one."),
  grant_required: entry(
    409,
    "This takes a grant.",
    "The service goes by grants, and this raises a risk: nobody does it alone. `detail` has the kind of grant, the chain to propose it on, and the values to propose."
  ),
  another_operator: entry(
    409,
    "Somebody else is signed in by now.",
    "`X-Bursar-Shown` names another operator than the session is of: somebody else has signed in in the same browser since the page was read. Nothing was done; read the session again. `detail.operator` is who is signed in."
  ),
  state_conflict: entry(
    409,
    "The resource is not in a state that allows this.",
    "The record has changed or is in another state; read it and decide again."
  ),

  body_too_large: entry(
    413,
    "The request body is too large.",
    "A body can have at most 1 MiB; send less, or several requests."
  ),
  unsupported_media_type: entry(
    415,
    "The content type is not supported.",
    "Bodies are `application/json` in UTF-8; set `Content-Type` accordingly."
  ),

  invalid_request: entry(
    422,
    "The request is not valid.",
    "One or more fields do not match the contract; `fields` lists each with its path."
  ),
  unknown_field: entry(
    422,
    "The request holds a field that is not part of the contract.",
    "Unknown body fields are refused, never ignored; `fields` names them."
  ),
  idempotency_key_required: entry(
    422,
    "An idempotency key is required.",
    "The operation needs an `Idempotency-Key` header; send a fresh key per intended operation."
  ),
  idempotency_key_invalid: entry(
    422,
    "The idempotency key is not valid.",
    "A key is 1 to 255 characters of `A-Z a-z 0-9 . _ ~ : -`, bare or in double quotes, and neither `.` nor `..`."
  ),
  idempotency_key_reused: entry(
    422,
    "The idempotency key was used for a different request.",
    "The key is bound to the first method, path and body sent under it; use a new key for a new request."
  ),
  invalid_cursor: entry(
    422,
    "The cursor is not valid for this request.",
    "The cursor is unknown, was changed, or belongs to other filters. Start a list again without a cursor. Do not start events or deposits again from 0, or you process all of them twice: go on after the last that you processed here, or after a restore from the one that the operators name."
  ),
  unknown_status: entry(
    422,
    "The status is not known.",
    "The `status` filter is not a status of this resource; see its list of values."
  ),
  unknown_kind: entry(
    422,
    "The kind is not known.",
    "The `kind` is not a kind of this resource; see its list of values."
  ),
  limit_out_of_range: entry(
    422,
    "The limit is out of range.",
    "`limit` is outside the range of the list; choose a value inside it."
  ),
  tenant_mismatch: entry(
    422,
    "The named tenant is not the key's tenant.",
    "`tenant` is a guard and must be the slug or id of the key's own tenant; check which key is in use."
  ),

  unknown_network: entry(
    422,
    "The network is not known.",
    "The network is misspelt or turned off in this service; see `GET /v1/currencies`."
  ),
  unsupported_asset: entry(
    422,
    "The currency is not supported here.",
    "The currency does not exist, or not on this network or for this operation; see `GET /v1/currencies`."
  ),
  address_invalid: entry(
    422,
    "The address is not valid on this network.",
    "The address is not valid on its network, for example because of its checksum; nothing was sent."
  ),
  address_unavailable: entry(
    422,
    "The address cannot be registered.",
    "Its key belongs to another tenant or to the service, perhaps on another network or in another form of the address; a key has only one owner."
  ),
  address_proof_invalid: entry(
    422,
    "The signature does not prove the address.",
    "The signature is not the key's signature of the challenge, or the challenge is older than an hour; get a new challenge and sign exactly its text."
  ),
  address_is_ours: entry(
    422,
    "The address belongs to the service.",
    "The service itself watches or pays from this address; pay an address outside the service."
  ),
  memo_required: entry(
    422,
    "This destination needs a memo.",
    "The recipient requires a memo and none was given; funds sent without it may be lost."
  ),
  memo_invalid: entry(
    422,
    "The memo is not valid on this network.",
    "The network does not support this form or length of memo, or has no memos."
  ),
  amount_invalid: entry(
    422,
    "The amount is not valid.",
    "An amount is a positive decimal string without sign or exponent."
  ),
  amount_too_precise: entry(
    422,
    "The amount has more decimals than the currency.",
    "The currency has fewer decimals than the amount, and the service does not round; send an amount with fewer decimals."
  ),
  below_minimum: entry(
    422,
    "The amount is below the minimum.",
    "`detail.minimum` is the smallest amount that can be sent or converted, if there is a fixed one."
  ),
  insufficient_balance: entry(
    422,
    "The available balance is not sufficient.",
    "`detail.available` is your available balance, and `detail.required` is what the operation needs, including the fee. `detail.backed` is the part that only the service can move: funds on your own addresses are credited, but cannot be spent until you move them to a deposit address of the service, and funds on addresses whose keys you imported cannot be spent until the service has swept them. If a refund is too large, `detail.brought` and `detail.refundable` are present instead."
  ),
  payout_limit_exceeded: entry(
    422,
    "The amount is above the limit per payout.",
    "The payout's USD value is above the tenant's limit per payout; see the estimate's `limits`."
  ),
  daily_limit_exceeded: entry(
    422,
    "The daily payout limit would be exceeded.",
    "The amount does not fit into the rolling daily limit in USD; see the estimate's `limits`."
  ),
  new_address_limit_exceeded: entry(
    422,
    "The daily limit for new addresses would be exceeded.",
    "Addresses first paid less than 24 hours ago share a lower limit; see the estimate's `limits`."
  ),
  withdrawal_limit_exceeded: entry(
    422,
    "The withdrawal limit would be exceeded.",
    "The amount does not fit into the rolling withdrawal limit; see `GET /v1/withdrawals/limit`."
  ),
  destination_not_verified: entry(
    422,
    "There is no verified destination for this currency.",
    "A withdrawal goes to the verified address of its currency; ask the operators to add and verify one."
  ),
  payouts_disabled: entry(
    422,
    "Payouts are disabled on this network.",
    "Payouts are off for the tenant, the network or the currency; the estimate's `payouts_disabled_reason` says why."
  ),
  price_unavailable: entry(
    422,
    "No price is available for this currency.",
    "A limit in USD cannot be checked without a fresh price, so the operation is refused; nothing is stored under the idempotency key, so you can send the same request again later."
  ),
  pair_unavailable: entry(
    422,
    "This pair cannot be converted now.",
    "The pair is not available at present; see `GET /v1/pairs`."
  ),
  quote_expired: entry(422, "The quote has expired.", "The quote's `expires_at` has passed; ask for a new one."),
  quote_mismatch: entry(
    422,
    "The quote is for another operation.",
    "Product, amount and currencies must match the quote; ask for a quote for this operation."
  ),

  xpub_invalid: entry(
    422,
    "The extended public key is not valid.",
    "The key cannot be decoded, is private, or has another network's version bytes."
  ),
  xpub_not_depth_3: entry(
    422,
    "The extended public key is not an account-level key.",
    "An xpub must have depth 3, the account level."
  ),
  no_live_xpub: entry(
    422,
    "There is no live xpub on this network.",
    "Register an xpub before deriving addresses from it."
  ),
  xpub_range_exhausted: entry(
    422,
    "The xpub's index range is exhausted.",
    "Fewer indexes are left than you asked for; register a new xpub."
  ),
  wrapped_key_unreadable: entry(
    422,
    "The wrapped key cannot be read.",
    "The wrapped key is not base64, or cannot be unwrapped with the named algorithm."
  ),
  sweep_newer_arrival: entry(
    422,
    "A newer arrival exists on the address.",
    "`seen_through` must include the newest deposit on the address; read further in `GET /v1/deposits` and release again."
  ),
  customer_not_verified: entry(
    422,
    "The customer is not verified.",
    "The customer's identity check is not approved; see the customer's verification."
  ),
  capability_missing: entry(
    422,
    "The customer lacks the required capability.",
    "`detail.capability` names the capability that the verification does not grant."
  ),
  account_not_active: entry(422, "The account is not active.", "The fiat account is pending, suspended or closed."),
  beneficiary_invalid: entry(
    422,
    "The beneficiary is not valid.",
    "The beneficiary's account details are incomplete or invalid for this rail and country. For a REFUND, `beneficiary_account` is the id of the ON_RAMP that it pays back; the ON_RAMP must be the tenant's, have settled, and have a payer that the provider reported."
  ),

  rate_limited: retryable(
    429,
    "The rate limit is exceeded.",
    "Wait `Retry-After` seconds; `detail.limit_per_minute` is the limit in force.",
    1
  ),

  internal_error: retryable(
    500,
    "Something went wrong on our side.",
    "The service has a defect; repeat the request with the same idempotency key, and give `request_id` to the operators.",
    5
  ),
  outcome_unknown: entry(
    500,
    "It is not known whether the change was made.",
    "The database went away while it made the change, and the request had no idempotency key; look whether the change was made, for the same request may make it a second time."
  ),
  provider_unavailable: retryable(
    503,
    "A provider is not available.",
    "A chain, custodian or other provider does not answer; repeat after `Retry-After`.",
    5
  ),
  read_only: retryable(
    503,
    "The service takes no changes at the moment.",
    "The service is overloaded, starting or under maintenance; repeat after `Retry-After`.",
    5
  )
} as const satisfies Record<string, CatalogueEntry>

/** A stable error code. */
export type ErrorCode = keyof typeof Catalogue

/** Every error code, in the catalogue's order. */
export const errorCodes = Object.keys(Catalogue) as ReadonlyArray<ErrorCode> // the keys of a literal object

/** The catalogue's entry of a code, seen at its general type. */
export const entryOf = (code: ErrorCode): CatalogueEntry => Catalogue[code]

/** Whether a text is a code of the catalogue. */
export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(Catalogue, code)
