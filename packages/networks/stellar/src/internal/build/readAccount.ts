import type { ChainError } from "@bursar/core/port/Chain"
import { Effect, Schema } from "effect"
import type { HorizonHttp } from "../rpc/Rpc.ts"
import { decoded, inconsistent } from "../rpc/NodeAnswer.ts"
import type { CheckedLedger } from "../read/readLedger.ts"
import { unitsOf } from "../rpc/wire.ts"
import { Account as AccountId, Amount, Count, optional } from "../rpc/wire.ts"

/** What an account holds of an asset. Amounts are base units. */
export interface Line {
  readonly balance: bigint
  /** Promised to offers, and so not to be spent. */
  readonly selling: bigint
  /** What it can still take. */
  readonly room: bigint
  readonly authorized: boolean
}

/** An account as it stands. */
export interface Account {
  readonly id: string
  readonly sequence: bigint
  /** Stroops. */
  readonly balance: bigint
  readonly selling: bigint
  readonly room: bigint
  /** Entries that cost it a reserve each. */
  readonly reserves: bigint
  /** By code and issuer. */
  readonly lines: ReadonlyMap<string, Line>
  /** Whether it takes payments only with a memo (SEP-29). */
  readonly memoRequired: boolean
}

const unitsMax = 9_223_372_036_854_775_807n

const Balance = Schema.Struct({
  balance: Amount,
  limit: optional(Amount),
  buying_liabilities: optional(Amount),
  selling_liabilities: optional(Amount),
  is_authorized: optional(Schema.Boolean),
  asset_type: Schema.String,
  asset_code: optional(Schema.String),
  asset_issuer: optional(Schema.String)
})

const AccountAnswer = Schema.Struct({
  account_id: AccountId,
  sequence: Schema.String.check(Schema.isPattern(/^[0-9]{1,19}$/u)),
  subentry_count: Count,
  num_sponsoring: optional(Count),
  num_sponsored: optional(Count),
  balances: Schema.Array(Balance),
  data: optional(Schema.Record(Schema.String, Schema.String))
})

const memoRequired = "config.memo_required"
const base64One = "MQ=="

/** Two for the account itself. */
const ownReserves = 2n

const units = (amount: string | null | undefined): bigint => (amount == null ? 0n : unitsOf(amount))

const lineOf = ({
  balance,
  buying_liabilities: buying,
  is_authorized,
  limit,
  selling_liabilities: selling
}: typeof Balance.Type) => ({
  balance: units(balance),
  selling: units(selling),
  room: (limit == null ? unitsMax : units(limit)) - units(balance) - units(buying),
  authorized: is_authorized ?? true
})

const accountIn = (answer: typeof AccountAnswer.Type): Account | undefined => {
  const native = answer.balances.find(({ asset_type }) => asset_type === "native")
  if (native === undefined) return undefined
  const { authorized: _authorized, ...coin } = lineOf(native)
  return {
    id: answer.account_id,
    sequence: BigInt(answer.sequence),
    ...coin,
    reserves:
      ownReserves +
      BigInt(answer.subentry_count) +
      BigInt(answer.num_sponsoring ?? 0) -
      BigInt(answer.num_sponsored ?? 0),
    lines: new Map(
      answer.balances.flatMap((each) =>
        each.asset_code == null || each.asset_issuer == null
          ? []
          : [[`${each.asset_code}:${each.asset_issuer}`, lineOf(each)] as const]
      )
    ),
    memoRequired: answer.data?.[memoRequired] === base64One
  }
}

/**
 * An account as it stands at a ledger or later, or null where there is none. Horizon says so itself with some answers; an
 * answer from before that ledger is `inconsistent`.
 */
export const readAccount = Effect.fn("StellarSender.readAccount")(function* (
  http: HorizonHttp,
  id: string,
  { ref }: Pick<CheckedLedger, "ref">
): Effect.fn.Return<Account | null, ChainError> {
  const doing = `read account ${id}`
  const found = yield* http.getState(doing, `accounts/${id}`).pipe(
    Effect.catchIf(
      ({ reason }) => reason === "absent",
      () => Effect.succeed(null)
    )
  )
  if (found === null) return null
  const { answer, latestLedger } = found
  if (latestLedger !== undefined && latestLedger < ref.number) {
    return yield* inconsistent(doing, `the answer is of ledger ${latestLedger}, behind ${ref.number}`)
  }
  const account = accountIn(yield* decoded(doing, AccountAnswer, answer))
  if (account === undefined) return yield* inconsistent(doing, "it has no balance of the network's own coin")
  return account.id === id ? account : yield* inconsistent(doing, `the node answered with ${account.id}`)
})

/** What an account can spend of its coin: not its reserve, nor what it has promised. */
export const spendableOf = ({ balance, reserves, selling }: Account, { baseReserve }: CheckedLedger): bigint => {
  const rest = balance - selling - reserves * baseReserve
  return rest > 0n ? rest : 0n
}

/** The least that a new account must begin with. */
export const creationMin = ({ baseReserve }: CheckedLedger): bigint => ownReserves * baseReserve
