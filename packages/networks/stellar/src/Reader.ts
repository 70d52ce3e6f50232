import { StrKey } from "@stellar/stellar-sdk/base"
import type { ChainError, ChainReader } from "@bursar/core/port/Chain"
import { Effect, type Redacted } from "effect"
import { blockBetween } from "@bursar/network-kit/blockAt"
import { positive } from "@bursar/network-kit/positive"
import { makeHashes } from "./internal/read/Hashes.ts"
import { makeHorizonHttp } from "./internal/rpc/Rpc.ts"
import { holdingsMax, readHoldings } from "./internal/holdings/readHoldings.ts"
import { absent, decoded, otherChain } from "./internal/rpc/NodeAnswer.ts"
import { readBlock } from "./internal/read/readBlock.ts"
import { isWhole, readEnd, readLedger } from "./internal/read/readLedger.ts"
import { NetworkAnswer, RootAnswer } from "./internal/rpc/wire.ts"

/** How stellar is read. */
export interface StellarReaderOptions {
  /** Horizon. May hold a key or a password, neither of which reaches an error or a log. */
  readonly horizonUrl: Redacted.Redacted<string>
  /** Stellar RPC, where there is one; reading asks it for its network alone. */
  readonly rpcUrl?: Redacted.Redacted<string>
  /** What transactions on the network are signed for, such as "Public Global Stellar Network ; September 2015". */
  readonly networkPassphrase: string
  /** The pinned assets as code and issuer (`USDC:G…`), from `CurrencyTable.contracts("stellar")`. */
  readonly assets: ReadonlyArray<string>
  /** Default 5,000, about the time between ledgers. */
  readonly pollIntervalMs?: number
  /** How long a question to the node may take. Default 20,000. */
  readonly timeoutMs?: number
  /** How many questions to the node are under way at most. Default 4. */
  readonly callsMax?: number
}

/** A reader of stellar, with what has to be asked before it is relied on. */
export interface StellarReader extends ChainReader {
  /**
   * Fails when the node is of another network: then addresses look right and everything else is wrong. To be run at start;
   * `other_chain` for another network, `unreachable` when the node does not answer.
   */
  readonly verifyChain: Effect.Effect<void, ChainError>
}

/** What the main network's transactions are signed for. */
export const mainnetPassphrase = "Public Global Stellar Network ; September 2015"

/** No ledger is ever replaced; so many are remembered to be read again for addresses that come to be watched. */
const reorgDepthMax = 64

const pollIntervalMsDefault = 5_000
const timeoutMsDefault = 20_000
const callsMaxDefault = 4

const code = /^[A-Za-z0-9]{1,12}$/u

/** The SDK signs `XLM` for a code that reads so in any other case: such an asset could be received, and not be paid. */
const isRewritten = (name: string): boolean => name !== "XLM" && name.toUpperCase() === "XLM"

const isAsset = (text: string): boolean => {
  const [name = "", issuer = "", more] = text.split(":")
  return code.test(name) && !isRewritten(name) && StrKey.isValidEd25519PublicKey(issuer) && more === undefined
}

/**
 * A reader of stellar through one Horizon.
 *
 * **Details**
 *
 * A block is a closed ledger, which is final: one confirmation is enough. Found are payments, path payments by what arrives,
 * accounts that are made or merged, and what contracts transfer or mint of the pinned assets; claimable balances are not
 * deposits, nor is it one to claim them. The header of every ledger must give its hash, and its
 * operations, all of which are read, must be as many as it counts. A payment must be the one that was signed under the hash of its
 * transaction, and its amount that of the result where the signature leaves it open; only what contracts move is the node's word. Of
 * a collection of a ledger no more than 256 MiB are read. No question is repeated here.
 *
 * **Gotchas**
 *
 * There are no extended public keys on stellar, whose derivation is hardened throughout (SEP-5): one account takes deposits of
 * many payers, told apart by muxed addresses or memos. Throws on a mistake of the configuration.
 */
export const makeStellarReader = (options: StellarReaderOptions): StellarReader => {
  const { callsMax = callsMaxDefault, networkPassphrase } = options
  const { pollIntervalMs = pollIntervalMsDefault, timeoutMs = timeoutMsDefault } = options
  positive("pollIntervalMs", pollIntervalMs)
  positive("timeoutMs", timeoutMs)
  positive("callsMax", callsMax)
  if (networkPassphrase === "") throw new Error("networkPassphrase must not be empty")
  for (const asset of options.assets) {
    if (!isAsset(asset)) throw new Error(`${asset} is not an asset of stellar: give its code and issuer, CODE:G…`)
  }
  const assets = new Set(options.assets)
  const http = makeHorizonHttp({ horizonUrl: options.horizonUrl, rpcUrl: options.rpcUrl, timeoutMs, callsMax })
  const hashes = makeHashes(http)

  const latest = Effect.tap(readEnd(http, "latest"), (ref) => Effect.sync(() => hashes.remember(ref)))

  const header: ChainReader["header"] = Effect.fn("StellarReader.header")(function* (number) {
    if (!(Number.isSafeInteger(number) && number >= 1)) {
      return yield* absent(`read header ${number}`, "this is not the sequence of a ledger")
    }
    const { ref } = yield* readLedger(http, number)
    hashes.remember(ref)
    return ref
  })

  const expectPassphrase = (doing: string, passphrase: string) =>
    passphrase === networkPassphrase
      ? Effect.void
      : Effect.fail(otherChain(doing, `the node is of "${passphrase}", not of "${networkPassphrase}"; check its url`))

  return {
    network: "stellar",
    requiredConfirmations: 1,
    reorgDepthMax,
    pollIntervalMs,
    tip: Effect.map(latest, (ref) => ({ latest: ref, confirmed: ref.number })),
    header,
    block: (hash) => readBlock({ http, hashes, networkPassphrase, assets }, hash),
    blockAt: Effect.fn("StellarReader.blockAt")(function* (time) {
      const oldest = yield* readEnd(http, "oldest")
      // there may be lower ledgers that it does not keep: its oldest is not what was asked for, and another node may have them
      if (oldest.time >= time && !isWhole(oldest)) {
        return yield* absent(
          `find the ledger of ${new Date(time).toISOString()}`,
          `the node keeps no history from before ledger ${oldest.number}`
        )
      }
      return yield* blockBetween(header, { oldest, latest: yield* latest }, time)
    }),
    holdingsMax,
    holdings: (addresses) => readHoldings(http, options.assets, addresses),
    verifyChain: Effect.gen(function* () {
      const doing = "verify the network"
      const root = yield* decoded(doing, RootAnswer, yield* http.get(doing, ""))
      yield* expectPassphrase(doing, root.network_passphrase)
      if (http.rpc === undefined) return
      const { result } = yield* decoded(doing, NetworkAnswer, yield* http.rpc(doing, "getNetwork"))
      yield* expectPassphrase(doing, result.passphrase)
    })
  }
}
