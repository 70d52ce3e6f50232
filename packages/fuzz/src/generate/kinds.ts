import type { Kind } from "./Known.ts"

/** What the parameters and fields of the contract that name a record name. */
export const kindOfName: Readonly<Record<string, Kind>> = {
  account_id: "account",
  address_id: "address",
  after: "address",
  cursor: "cursor",
  customer_id: "customer",
  key: "key",
  operation_id: "operation",
  payout_id: "payout",
  quote_id: "quote",
  swap_id: "swap",
  transfer_id: "transfer",
  withdrawal_id: "withdrawal",
  xpub_id: "xpub"
}

/** Which record an operation gives in a success, by its schema's name. */
const kindOfSchema: Readonly<Record<string, ReadonlyArray<Kind>>> = {
  Account: ["account"],
  ChainPayout: ["payout", "operation"],
  Customer: ["customer"],
  Deposit: ["deposit"],
  DepositAddress: ["address"],
  Quote: ["quote"],
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
  const id = field(value, "id")
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
