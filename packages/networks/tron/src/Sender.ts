import { positive } from "@bursar/network-kit/positive"
import { accountPlanner } from "@bursar/core/port/accountPlanner"
import type { ChainSender } from "@bursar/core/port/ChainSender"
import { BigInt as Big, Effect } from "effect"
import { broadcastSigned } from "./internal/broadcast/broadcastSigned.ts"
import { buildTransaction } from "./internal/build/buildTransaction.ts"
import { readTokenBalance } from "./internal/build/contractCall.ts"
import { estimateFee, plannedFee } from "./internal/build/estimateFee.ts"
import { readStatus } from "./internal/status/readStatus.ts"
import { preflightPayment } from "./internal/build/preflightPayment.ts"
import { type PriceCaps, priceCapsDefault } from "./internal/build/PriceCaps.ts"
import { proveClaim } from "./internal/prove/proveClaim.ts"
import { readAccount } from "./internal/build/readAccount.ts"
import { freshHead, type SenderContext } from "./internal/build/SenderContext.ts"
import { contractsByHex, makeNode, type NodeOptions } from "./internal/rpc/Node.ts"
import { toHex } from "./Address.ts"

/** How transactions are sent on tron. */
export interface TronSenderOptions extends NodeOptions, Partial<PriceCaps> {
  /** The pinned TRC-20 contracts in base58, from `CurrencyTable.contracts("tron")`. */
  readonly contracts: ReadonlyArray<string>
  /** How long a transaction can be included. Default 600,000; at most a day, the limit of the network. */
  readonly validityMs?: number
  /** Default 30,000: ten blocks. */
  readonly rebroadcastAfterMs?: number
  /** The most that a transaction may burn for energy, in sun. Default 100,000,000. */
  readonly feeLimitMax?: bigint
  /** How old the newest block may be before nothing is built on it. Default 300,000. */
  readonly lagMsMax?: number
}

const validityMsDefault = 600_000
const validityMsMax = 86_000_000
const rebroadcastAfterMsDefault = 30_000
const feeLimitMaxDefault = 100_000_000n
const lagMsMaxDefault = 300_000

const hexOf = (address: string): string => {
  const hex = toHex(address)
  if (hex === undefined) throw new Error(`${address} is not an address on tron`)
  return hex
}

/**
 * Writes to tron through one node.
 *
 * **Details**
 *
 * Transactions are built here, not by the node: they name a solidified block and expire at the order's `validUntil`, and the order's
 * salt sets them apart from others of the same payment. Energy is tried before it is paid for, and the limit leaves room for a
 * receiver who empties the account meanwhile.
 *
 * **Gotchas**
 *
 * Nothing on tron excludes a second transaction, so nothing can be replaced, and an order whose `replacing` is set is a defect.
 * Throws on a mistake of the configuration.
 */
export const makeTronSender = (options: TronSenderOptions): ChainSender => {
  const { feeLimitMax = feeLimitMaxDefault, validityMs = validityMsDefault } = options
  positive("validityMs", validityMs)
  positive("rebroadcastAfterMs", options.rebroadcastAfterMs)
  positive("lagMsMax", options.lagMsMax)
  if (validityMs > validityMsMax) throw new Error(`validityMs must not be above ${validityMsMax}`)
  if (feeLimitMax <= 0n) throw new Error("feeLimitMax must be above 0")
  const context: SenderContext = {
    node: makeNode(options),
    pinned: options.contracts,
    contracts: contractsByHex(options.contracts),
    caps: {
      bandwidthPriceMax: options.bandwidthPriceMax ?? priceCapsDefault.bandwidthPriceMax,
      activationMax: options.activationMax ?? priceCapsDefault.activationMax
    },
    feeLimitMax,
    validityMs,
    lagMsMax: options.lagMsMax ?? lagMsMaxDefault
  }
  const questions: Pick<ChainSender, "balance" | "estimate"> = {
    balance: Effect.fn("TronSender.balance")(function* (address, contract) {
      const holder = hexOf(address)
      yield* freshHead(context)
      if (contract !== null) return yield* readTokenBalance(context.node, hexOf(contract), holder)
      return (yield* readAccount(context.node, holder))?.balance ?? 0n
    }),
    estimate: (payment) => estimateFee(context, payment)
  }
  /** The less of what cannot be replaced and of what is left after all that waits: a block that may be replaced has taken from the latter alone. */
  const promisable: ChainSender["balance"] = Effect.fn("TronSender.promisable")(function* (address, contract) {
    const solid = yield* questions.balance(address, contract)
    if (solid === 0n) return solid
    const holder = hexOf(address)
    const newest =
      contract === null
        ? ((yield* readAccount(context.node, holder, "wallet"))?.balance ?? 0n)
        : yield* readTokenBalance(context.node, hexOf(contract), holder, "wallet")
    return Big.min(solid, newest)
  })
  return {
    ...questions,
    planner: accountPlanner({
      ...questions,
      promisable,
      payoutFee: (payout, beside) => plannedFee(context, payout, beside),
      lenders: ({ wallet }) => [wallet],
      underWayMax: Number.POSITIVE_INFINITY,
      guardOf: () => Effect.succeed({ _tag: "Expiry" })
    }),
    network: "tron",
    validityMs,
    rebroadcastAfterMs: options.rebroadcastAfterMs ?? rebroadcastAfterMsDefault,
    replaceAfterMs: null,
    paymentsMax: 1,
    firstSequence: () => Effect.succeed(null),
    build: (order) => buildTransaction(context, order),
    broadcast: (raw) => broadcastSigned(context.node, raw),
    status: (_order, transactions) => readStatus(context, transactions),
    preflight: (payment) => preflightPayment(context, payment),
    prove: (claimed) => proveClaim(context, claimed)
  }
}
