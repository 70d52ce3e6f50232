import type { ChainError, Gain, UnreadTransaction } from "@bursar/core/port/Chain"
import { Effect, Result } from "effect"
import type { HorizonHttp } from "../rpc/Rpc.ts"
import { assetOf, native } from "./movesOf.ts"
import { readable } from "../rpc/NodeAnswer.ts"
import { innerHashOf, type ReadOperation } from "./readOperations.ts"
import { unitsOf } from "../rpc/wire.ts"
import { AccountCreated, AccountCredited, EffectRecord, RecordsPage } from "../rpc/wire.ts"

/** An operation that could not be read, and why. */
export interface UnreadOperation {
  readonly operation: ReadOperation
  readonly reason: string
}

/** Operations of a ledger whose effects are asked for: a ledger of nothing but strange ones must not be the end of reading. */
const askedMax = 100

const effectsMax = 200

const gainOf = (assets: ReadonlySet<string>, effect: unknown): Result.Result<Gain | undefined, string> =>
  Result.gen(function* () {
    const { type } = yield* readable(EffectRecord, effect)
    if (type === "account_created") {
      const made = yield* readable(AccountCreated, effect)
      return { to: made.account, contract: null, units: unitsOf(made.starting_balance) }
    }
    if (type !== "account_credited") return undefined
    const credited = yield* readable(AccountCredited, effect)
    const asset = assetOf(credited)
    if (asset === undefined || !(asset === native || assets.has(asset))) return undefined
    const to = credited.account_muxed ?? credited.account
    return { to, contract: asset === native ? null : asset, units: unitsOf(credited.amount) }
  })

const gainsIn = (assets: ReadonlySet<string>, answer: unknown): Result.Result<ReadonlyArray<Gain>, string> =>
  Result.gen(function* () {
    const { records } = (yield* readable(RecordsPage, answer))._embedded
    if (records.length >= effectsMax) return yield* Result.fail("there are more effects than one page has")
    const gains: Array<Gain> = []
    for (const record of records) {
      const gain = yield* gainOf(assets, record)
      if (gain !== undefined) gains.push(gain)
    }
    return gains
  })

/** What an operation gave to accounts, by its effects; null where they do not tell either. */
const gainsOf = (http: HorizonHttp, assets: ReadonlySet<string>, { operation: { id } }: ReadOperation) =>
  http.get(`read the effects of operation ${id}`, `operations/${id}/effects`, { limit: String(effectsMax) }).pipe(
    Effect.map((answer) => Result.getOrElse(gainsIn(assets, answer), () => null)),
    Effect.catchIf(
      ({ reason }) => reason !== "unreachable",
      () => Effect.succeed(null)
    )
  )

/** What is said of transactions with operations that could not be read, with what those gave to accounts by their effects. */
export const unreadOf = Effect.fn("StellarReader.unreadOf")(function* (
  http: HorizonHttp,
  assets: ReadonlySet<string>,
  unread: ReadonlyArray<UnreadOperation>
): Effect.fn.Return<ReadonlyArray<UnreadTransaction>, ChainError> {
  const byHash = new Map<string, UnreadTransaction>()
  for (const [nth, { operation, reason }] of unread.entries()) {
    const gains = nth < askedMax ? yield* gainsOf(http, assets, operation) : null
    const txHash = operation.operation.transaction_hash
    const before = byHash.get(txHash)
    byHash.set(txHash, {
      txHash,
      ...innerHashOf(operation),
      reason: before?.reason ?? `operation ${operation.index}: ${reason}`,
      gains: gains === null || before?.gains === null ? null : [...(before?.gains ?? []), ...gains]
    })
  }
  return [...byHash.values()]
})
