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

/** An account, null where there is none, and the ledger that this is from; undefined where Horizon does not say. */
export interface Standing {
  readonly account: Account | null
  readonly through: number | undefined
}

/**
 * How an account stands at a ledger or later. Horizon says itself which ledger an answer is from: one from before that ledger is
 * `inconsistent`, and so is one that there is no such account, if it does not say. A node that is behind does not know a new account yet.
 */
export const readStanding = Effect.fn("StellarSender.readAccount")(function* (
  http: HorizonHttp,
  id: string,
  { ref }: Pick<CheckedLedger, "ref">
): Effect.fn.Return<Standing, ChainError> {
  const doing = `read account ${id}`
  const { answer, latestLedger: through } = yield* http.getState(doing, `accounts/${id}`)
  if (through !== undefined && through < ref.number) {
    return yield* inconsistent(doing, `the answer is of ledger ${through}, behind ${ref.number}`)
  }
  if (answer === undefined) {
    return through === undefined
      ? yield* inconsistent(doing, "the node does not know it, and does not say up to which ledger")
      : { account: null, through }
  }
  const account = accountIn(yield* decoded(doing, AccountAnswer, answer))
  if (account === undefined) return yield* inconsistent(doing, "it has no balance of the network's own coin")
  return account.id === id ? { account, through } : yield* inconsistent(doing, `the node answered with ${account.id}`)
})

/** An account as it stands at a ledger or later, or null where there is none. */
export const readAccount = (
  http: HorizonHttp,
  id: string,
  ledger: Pick<CheckedLedger, "ref">
): Effect.Effect<Account | null, ChainError> => Effect.map(readStanding(http, id, ledger), ({ account }) => account)

/** What an account can spend of its coin: not its reserve, nor what it has promised. */
export const spendableOf = ({ balance, reserves, selling }: Account, { baseReserve }: CheckedLedger): bigint => {
  const rest = balance - selling - reserves * baseReserve
  return rest > 0n ? rest : 0n
}

/** The least that a new account must begin with. */
export const creationMin = ({ baseReserve }: CheckedLedger): bigint => ownReserves * baseReserve
