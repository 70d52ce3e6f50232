/** The processes that have a role each. `bursar migrate` has none here: it owns the schema. */
export const roleProcesses = ["serve", "work", "sign"] as const

/** A process that has a role of its own. */
export type RoleProcess = (typeof roleProcesses)[number]

/** What a role may do with a table. */
export type Privilege = "select" | "insert" | "update" | "delete"

/** What each role may do with a table; one that may do nothing has an empty list. */
export type TableRights = Readonly<Record<RoleProcess, ReadonlyArray<Privilege>>>

const none: ReadonlyArray<Privilege> = []
const read: ReadonlyArray<Privilege> = ["select"]
/** Rows that stay as they were written. */
const add: ReadonlyArray<Privilege> = ["select", "insert"]
/** Rows that are there already, and change. */
const change: ReadonlyArray<Privilege> = ["select", "update"]
/** Rows that are replaced by their key: PostgreSQL wants both privileges for `on conflict do update`. */
const put: ReadonlyArray<Privilege> = ["select", "insert", "update"]
const addAndDelete: ReadonlyArray<Privilege> = ["select", "insert", "delete"]
const readAndDelete: ReadonlyArray<Privilege> = ["select", "delete"]
const everything: ReadonlyArray<Privilege> = ["select", "insert", "update", "delete"]

const rights = (
  serve: ReadonlyArray<Privilege>,
  work: ReadonlyArray<Privilege>,
  sign: ReadonlyArray<Privilege> = none
): TableRights => ({ serve, work, sign })

/** What tenants and operators decide: only the server writes it, and most of it the worker does not even read. */
const decided = {
  tenant: rights(put, read, read),
  api_key: rights(put, none),
  api_key_directory: rights(put, none),
  signing_key: rights(put, read, read),
  signature_nonce: rights(addAndDelete, none),
  idempotency_record: rights(add, none),
  grant_entry: rights(add, read, read),
  grant_proposal: rights(put, none),
  operator_audit: rights(add, none, read),
  operator_audit_seal: rights(read, add, read),
  closed_period: rights(add, none),
  solvency_snapshot: rights(put, none),
  solvency_leaf: rights(add, none),
  solvency_node: rights(add, none),
  network_switch: rights(put, put),
  operator_session: rights(addAndDelete, none),
  rate_window: rights(everything, none),
  fee_rule: rights(put, read),
  destination: rights(put, read),
  float_adjustment: rights(put, none),
  resolution: rights(put, none),
  customer_name: rights(put, none),
  xpub: rights(put, read),
  signed_registration: rights(add, read),
  issuing_account: rights(put, read),
  sealed_key: rights(add, none, read),
  imported_key: rights(add, none),
  imported_address_key: rights(put, read),
  address_proof: rights(put, read),
  key_conflict: rights(read, none)
}

/** What follows from decisions and from what happens outside: the commands of both processes write it. */
const shared = {
  tenant_head: rights(put, change, read),
  commit_receipt: rights(addAndDelete, addAndDelete),
  operation: rights(put, put, read),
  operation_total: rights(put, put),
  ledger_leg: rights(add, add),
  balance: rights(put, put),
  event: rights(add, add),
  job: rights(everything, everything),
  address: rights(put, put),
  address_directory: rights(everything, put),
  key_owner: rights(everything, put),
  key_use: rights(addAndDelete, add),
  deposit: rights(put, put),
  unproven_deposit: rights(put, put),
  sweepable_deposit: rights(put, put),
  backfill: rights(put, change),
  limit_usage: rights(put, put),
  unswept_imports: rights(put, put),
  // an adjustment is an operator's
  suspense_taken: rights(put, read),
  quote: rights(put, put),
  provider_order: rights(put, put),
  provider_order_directory: rights(put, put),
  asset_reservation: rights(put, put),
  payout: rights(put, put),
  payout_evidence: rights(put, put),
  payout_wallet: rights(put, put),
  paid_address: rights(put, put),
  paid_account: rights(put, put),
  outbound_transaction: rights(put, put, read),
  wallet_utxo: rights(put, put),
  customer: rights(put, put),
  fiat_account: rights(put, put),
  webhook_endpoint: rights(put, put),
  webhook_state: rights(put, put),
  webhook_delivery: rights(put, everything),
  quarantine: rights(change, put),
  held_arrival: rights(change, put),
  block_order: rights(everything, readAndDelete),
  network: rights(put, put, read),
  currency: rights(add, add, read),
  call_turn: rights(put, put),
  reconciliation_break: rights(put, put),
  statement: rights(put, put),
  statement_line: rights(put, put),
  split_entry: rights(put, put)
}

/** What only the worker writes: what it reads of networks and providers, what it sends, and how far it has come. */
const worked = {
  transaction_attempt: rights(read, put, read),
  wallet_transfer: rights(read, put),
  sweep: rights(read, put),
  sweep_account: rights(read, put),
  intake_cost: rights(read, put),
  account_provisioning: rights(read, put),
  account_number: rights(read, put),
  booked_incoming: rights(read, put),
  webhook_attempt: rights(read, everything),
  provider_call: rights(read, everything),
  network_status: rights(read, put),
  network_lag: rights(read, everything),
  chain_block: rights(none, addAndDelete),
  one_node_credit: rights(none, everything),
  lease: rights(none, put),
  place_observation: rights(read, put),
  place_sight: rights(none, put),
  past_observation: rights(read, everything)
}

/**
 * What each process may do with each table of the schema. A table that is missing here is one that nobody but its owner can use,
 * and a test fails until it is decided on.
 */
export const roleMatrix = {
  ...decided,
  ...shared,
  ...worked,
  bursar_migration: rights(read, read, read)
} satisfies Readonly<Record<string, TableRights>>

/** The sequences of the schema, and the processes that count with them. */
export const sequenceUsers: Readonly<Record<string, ReadonlyArray<RoleProcess>>> = { webhook_turn: ["work"] }

/** The functions of the schema by their signatures, and the processes that call them. Triggers need no privilege. */
export const functionUsers: Readonly<Record<string, ReadonlyArray<RoleProcess>>> = {
  "take_rates(integer[], text[], integer[], bigint)": ["serve"],
  "lease_rates(integer[], text[], integer[], bigint)": ["serve"],
  "lease_rates(integer[], text[], integer[], integer[], bigint)": ["serve"],
  "lease_rates(integer[], text[], integer[], integer[], bigint, bigint)": ["serve"],
  "give_rates(text[], bigint[], integer[])": ["serve"],
  "operator_audit_is_only_added_to()": [],
  "operator_audit_seal_is_only_added_to()": [],
  "grant_entry_is_only_added_to()": [],
  "closed_period_is_only_added_to()": [],
  "solvency_is_only_added_to()": [],
  "solvency_snapshot_is_only_published()": []
}
