import { Effect, Schema } from "effect"
import type { Connection } from "../people/connection.ts"
import type { PartnerOfWorld } from "../people/letIn.ts"
import { unitsOf } from "../model/money.ts"

const Money = Schema.Struct({ amount: Schema.String, currency: Schema.String })

const FloatPage = Schema.fromJsonString(
  Schema.Struct({ currencies: Schema.Array(Schema.Struct({ available: Money, held: Money, total: Money })) })
)

const Entry = Schema.Struct({
  id: Schema.String,
  kind: Schema.String,
  status: Schema.String,
  amount: Money,
  customer_fee: Money,
  to_amount: Schema.NullOr(Money),
  acts_for: Schema.String,
  customer_id: Schema.NullOr(Schema.String),
  created_at: Schema.String,
  settled_at: Schema.NullOr(Schema.String),
  unresolved: Schema.Boolean
})

/** An operation as a partner is told of it. */
export type Entry = typeof Entry.Type

const RegisterPage = Schema.fromJsonString(
  Schema.Struct({ entries: Schema.Array(Entry), next_cursor: Schema.NullOr(Schema.String) })
)

const FeedEvent = Schema.Struct({ id: Schema.Int, kind: Schema.String, resource_id: Schema.String })

const EventPage = Schema.fromJsonString(
  Schema.Struct({ events: Schema.Array(FeedEvent), next_after: Schema.NullOr(Schema.Int) })
)

const AccountEntries = Schema.fromJsonString(Schema.Array(Schema.Struct({ direction: Schema.String, amount: Money })))

/** What a partner is told when everything has come to its end. */
export interface Told<P = PartnerOfWorld> {
  readonly partner: P
  readonly float: (typeof FloatPage.Type)["currencies"]
  readonly register: ReadonlyArray<Entry>
  readonly events: ReadonlyArray<typeof FeedEvent.Type>
  /** What stands on the accounts of its customers, in base units, by the account. */
  readonly accounts: ReadonlyMap<string, bigint>
}

/** Accounts are in euros. */
const accountDecimals = 2

/** Asks until there is an answer. */
const read = Effect.fnUntraced(function* <A>(
  schema: Schema.Decoder<A>,
  path: string,
  { get }: Pick<Connection, "get">
) {
  for (;;) {
    const reply = yield* get(path)
    if (reply !== "broken" && reply.status === 200) return Schema.decodeUnknownSync(schema)(reply.body)
    yield* Effect.sleep(1_000)
  }
})

/** Asks the service what a partner is told at the end. */
export const tell = Effect.fnUntraced(function* <P extends Pick<PartnerOfWorld, "clients">>(
  partner: P,
  working: Pick<Connection, "get">
) {
  const { currencies } = yield* read(FloatPage, "/v1/float", working)
  const register: Array<Entry> = []
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: typeof RegisterPage.Type = yield* read(
      RegisterPage,
      `/v1/register?limit=200${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`,
      working
    )
    register.push(...page.entries)
    cursor = page.next_cursor
  }
  const events: Array<typeof FeedEvent.Type> = []
  for (let after: number | null = 0; after !== null;) {
    const page: typeof EventPage.Type = yield* read(EventPage, `/v1/events?limit=500&after=${after}`, working)
    events.push(...page.events)
    after = page.next_after
  }
  const accounts = new Map<string, bigint>()
  for (const { accountId } of partner.clients) {
    if (accountId === null) continue
    const lines: typeof AccountEntries.Type = yield* read(
      AccountEntries,
      `/v1/accounts/${accountId}/entries?limit=500`,
      working
    )
    const sum = lines.reduce((all, { amount, direction }) => {
      const units = unitsOf(amount.amount, accountDecimals)
      return direction === "CREDIT" ? all + units : all - units
    }, 0n)
    accounts.set(accountId, sum)
  }
  const told: Told<P> = { partner, float: currencies, register, events, accounts }
  return told
})
