import type { Kind } from "./Known.ts"

/** What the parameters and fields of the contract that name a record name. */
export const kindOfName: Readonly<Record<string, Kind>> = {
  account_id: "account",
  address_id: "address",
  adjustment_id: "adjustment",
  after: "address",
  api_key_id: "api key",
  break_id: "break",
  cursor: "cursor",
  customer_id: "customer",
  destination_id: "destination",
  fee_rule_id: "fee rule",
  key: "key",
  key_id: "api key",
  keyid: "signing key",
  operation_id: "operation",
  payout_id: "payout",
  proposal_id: "proposal",
  quote_id: "quote",
  resolution_id: "resolution",
  session_id: "session",
  snapshot_id: "snapshot",
  swap_id: "swap",
  sweep_id: "sweep",
  tenant_id: "tenant",
  transfer_id: "transfer",
  wallet_id: "wallet",
  webhook_id: "webhook",
  withdrawal_id: "withdrawal",
  xpub_id: "xpub"
}

/** Which record an operation gives in a success, by its schema's name. */
const kindOfSchema: Readonly<Record<string, ReadonlyArray<Kind>>> = {
  Account: ["account"],
  BrowserSession: ["session"],
  ChainPayout: ["payout", "operation"],
  Customer: ["customer"],
  Deposit: ["deposit"],
  DepositAddress: ["address"],
  OperatorAccount: ["account"],
  OperatorAdjustment: ["adjustment"],
  OperatorCustomer: ["customer"],
  OperatorDestination: ["destination"],
  OperatorFeeRule: ["fee rule"],
  OperatorGrantProposal: ["proposal"],
  OperatorKey: ["api key"],
  OperatorPayout: ["payout", "operation"],
  OperatorResolution: ["resolution"],
  OperatorReview: ["operation"],
  OperatorSigningKey: ["signing key"],
  OperatorSnapshot: ["snapshot"],
  OperatorSweep: ["sweep"],
  OperatorTenant: ["tenant"],
  OperatorWallet: ["wallet"],
  OperatorWebhook: ["webhook"],
  Quote: ["quote"],
  ReconciliationBreak: ["break"],
  RegisterEntry: ["operation"],
  Swap: ["swap", "operation"],
  Transfer: ["transfer", "operation"],
  Withdrawal: ["withdrawal", "operation"],
  Xpub: ["xpub"]
}

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

/** Every record that an answer tells of, with its kind: found along the schema of the answer. */
export const recordsIn = (
  schema: { readonly [name: string]: unknown },
  value: unknown,
  resolve: (schema: { readonly [name: string]: unknown }) => { readonly [name: string]: unknown }
): ReadonlyArray<readonly [Kind, string]> => {
  if (value === null || value === undefined) return []
  const name =
    String(schema["$ref"] ?? "")
      .split("/")
      .at(-1) ?? ""
  const id = field(value, "id") ?? field(value, "keyid")
  const own = typeof id === "string" ? (kindOfSchema[name] ?? []).map((kind) => [kind, id] as const) : []
  const { anyOf, items, properties } = resolve(schema)
  // what the document has in these places
  const options = (anyOf ?? []) as ReadonlyArray<{ readonly [name: string]: unknown }>
  const element = items as { readonly [name: string]: unknown } | undefined
  const fields = (properties ?? {}) as Readonly<Record<string, { readonly [name: string]: unknown }>>
  return [
    ...own,
    ...options.flatMap((one) => recordsIn(one, value, resolve)),
    ...(element !== undefined && Array.isArray(value)
      ? value.flatMap((one: unknown) => recordsIn(element, one, resolve))
      : []),
    ...Object.entries(fields).flatMap(([key, one]) => recordsIn(one, field(value, key), resolve))
  ]
}
