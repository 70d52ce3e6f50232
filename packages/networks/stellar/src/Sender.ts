import type { ChainSender } from "@bursar/core/port/ChainSender"
import { positive } from "@bursar/network-kit/positive"
import { BigInt as Big, Effect, type Redacted, Result } from "effect"
import { makeHorizonHttp } from "./internal/rpc/Rpc.ts"
import { broadcastSigned } from "./internal/broadcast/broadcastSigned.ts"
import { buildTransaction } from "./internal/build/buildTransaction.ts"
import { checkReceiver } from "./internal/build/checkReceiver.ts"
import { estimateFee } from "./internal/build/estimateFee.ts"
import { readStatus } from "./internal/status/readStatus.ts"
import { proveClaim } from "./internal/prove/proveClaim.ts"
import { creationMin, readAccount, spendableOf } from "./internal/build/readAccount.ts"
import { readFees } from "./internal/build/readFees.ts"
import { freshLedger, type SenderContext } from "./internal/build/SenderContext.ts"
import { type StellarQuestions, stellarPlanner } from "./Planner.ts"
import { demux, parseStellarAddress } from "./Address.ts"

/** How transactions are sent on stellar. */
export interface StellarSenderOptions {
  /** Horizon, from release 2.31 on. May hold a key or a password, neither of which reaches an error or a log. */
  readonly horizonUrl: Redacted.Redacted<string>
  /** What transactions on the network are signed for, such as "Public Global Stellar Network ; September 2015". */
  readonly networkPassphrase: string
  /** The pinned assets as code and issuer (`USDC:G…`), from `CurrencyTable.contracts("stellar")`. */
  readonly assets: ReadonlyArray<string>
  /** How long a transaction can be included. Default 300,000. */
  readonly validityMs?: number
  /** Default 15,000: three ledgers. */
  readonly rebroadcastAfterMs?: number
  /** After how long a dearer replacement under the same number is worth it. Default 60,000. */
  readonly replaceAfterMs?: number
  /** The most that a transaction may bid, in stroops. Default 1,000,000. */
  readonly feeMax?: bigint
  /** How old the newest ledger may be before nothing is built on it. Default 120,000. */
  readonly lagMsMax?: number
  /** How long a question to the node may take. Default 20,000. */
  readonly timeoutMs?: number
  /** How many questions to the node are under way at most. Default 4. */
  readonly callsMax?: number
}

const validityMsDefault = 300_000
const rebroadcastAfterMsDefault = 15_000
const replaceAfterMsDefault = 60_000
const feeMaxDefault = 1_000_000n
const feeMaxMax = 4_294_967_295n
const lagMsMaxDefault = 120_000
const timeoutMsDefault = 20_000
const callsMaxDefault = 4

/** A sender of stellar, with what its planner asks a node beside. */
export interface StellarSender extends ChainSender, StellarQuestions {}

/** The account of an address. Throws on what is none: addresses here are canonical. */
const accountOf = (address: string): string => {
  Result.getOrThrowWith(parseStellarAddress(address), (reason) => new Error(`${address}: ${reason}`))
  return demux(address)?.account ?? address
}

/** The issuer in a code and issuer. */
const issuerOf = (contract: string): string => contract.slice(contract.indexOf(":") + 1)

/**
 * Writes to stellar through one Horizon.
 *
 * **Details**
 *
 * The token of an order is a sequence number of any account of ours, a channel account where payments are many: it pays the fee, and
 * the order's `from` pays the rest. Every transaction has a time from which it is valid, that of the newest ledger as it is built, and one until
 * which it is. A payment of coin to an account that does not exist makes it. An account agrees to hold assets with one operation for
 * each, without a limit of its own; that is done when the account's trustlines are there.
 *
 * **Gotchas**
 *
 * A replacement bids ten times as much, so few of them fit below `feeMax`. It is no fee bump of the first, which could pay nobody else: so the
 * network answers `busy` to it until its queue has dropped the first. Throws on a mistake of the configuration.
 */
export const makeStellarSender = (options: StellarSenderOptions): StellarSender => {
  const { feeMax = feeMaxDefault, networkPassphrase } = options
  if (networkPassphrase === "") throw new Error("networkPassphrase must not be empty")
  if (feeMax <= 0n || feeMax > feeMaxMax) throw new Error(`feeMax must be above 0 and at most ${feeMaxMax}`)
  for (const [name, value] of Object.entries({
    callsMax: options.callsMax,
    lagMsMax: options.lagMsMax,
    rebroadcastAfterMs: options.rebroadcastAfterMs,
    replaceAfterMs: options.replaceAfterMs,
    timeoutMs: options.timeoutMs,
    validityMs: options.validityMs
  })) {
    positive(name, value)
  }
  const context: SenderContext = {
    http: makeHorizonHttp({
      horizonUrl: options.horizonUrl,
      rpcUrl: undefined,
      timeoutMs: options.timeoutMs ?? timeoutMsDefault,
      callsMax: options.callsMax ?? callsMaxDefault
    }),
    networkPassphrase,
    assets: new Set(options.assets),
    feeMax,
    lagMsMax: options.lagMsMax ?? lagMsMaxDefault,
    spans: new Map()
  }

  const read = Effect.fnUntraced(function* (address: string) {
    const id = accountOf(address)
    return yield* readAccount(context.http, id, yield* freshLedger(context))
  })

  const questions: StellarQuestions = {
    firstSequence: Effect.fn("StellarSender.firstSequence")(function* (account) {
      const found = yield* read(account)
      return found === null ? null : found.sequence + 1n
    }),
    balance: Effect.fn("StellarSender.balance")(function* (address, contract) {
      const found = yield* read(address)
      if (found === null) return 0n
      return contract === null ? found.balance : (found.lines.get(contract)?.balance ?? 0n)
    }),
    accountState: Effect.fn("StellarSender.accountState")(function* (address, assets) {
      const id = accountOf(address)
      const ledger = yield* freshLedger(context)
      const found = yield* readAccount(context.http, id, ledger)
      // An issuer needs no trustline: it makes what it holds.
      const without = assets.filter((contract) => !contract.endsWith(`:${id}`) && found?.lines.has(contract) !== true)
      // One trustline that cannot be takes all others of its transaction with it.
      const unissued = yield* Effect.filter(without, (contract) =>
        Effect.map(readAccount(context.http, issuerOf(contract), ledger), (issuer) => issuer === null)
      )
      return {
        exists: found !== null,
        missing: without.filter((contract) => !unissued.includes(contract)),
        unissued,
        spendable: found === null ? 0n : spendableOf(found, ledger),
        keepsForItself: creationMin(ledger),
        keepsPerAsset: ledger.baseReserve
      }
    }),
    promisable: Effect.fn("StellarSender.promisable")(function* (address, contract) {
      const ledger = yield* freshLedger(context)
      const found = yield* readAccount(context.http, accountOf(address), ledger)
      if (found === null) return 0n
      if (contract === null) return spendableOf(found, ledger)
      const line = found.lines.get(contract)
      return line === undefined ? 0n : line.balance - line.selling
    }),
    payoutFee: () =>
      readFees(context.http).pipe(
        Effect.map(({ bid, usual }) => (usual > feeMax ? null : Big.min(bid, feeMax))),
        Effect.orElseSucceed(() => null)
      ),
    estimate: (payment) => estimateFee(context, payment)
  }
  return {
    ...questions,
    planner: stellarPlanner(questions),
    network: "stellar",
    validityMs: options.validityMs ?? validityMsDefault,
    rebroadcastAfterMs: options.rebroadcastAfterMs ?? rebroadcastAfterMsDefault,
    replaceAfterMs: options.replaceAfterMs ?? replaceAfterMsDefault,
    paymentsMax: 1,
    build: (order) => buildTransaction(context, order),
    broadcast: (raw) => broadcastSigned(context, raw),
    status: (order, transactions) => readStatus(context, order, transactions),
    preflight: Effect.fn("StellarSender.preflight")(function* (payment) {
      const receiving = yield* checkReceiver(context, payment, yield* freshLedger(context))
      return receiving._tag === "Unpayable" ? receiving : { _tag: "Payable" }
    }),
    prove: (claimed) => proveClaim(context, claimed)
  }
}
