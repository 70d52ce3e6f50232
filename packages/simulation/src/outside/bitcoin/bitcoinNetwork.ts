import { parseBitcoinAddress, publicKeyAddresses } from "@bursar/bitcoin/Address"
import { bitcoinCodec } from "@bursar/bitcoin/Codec"
import { bitcoinKeys } from "@bursar/bitcoin/Keys"
import { makeBitcoinReader } from "@bursar/bitcoin/Reader"
import { makeBitcoinSender } from "@bursar/bitcoin/Sender"
import type { NetworkTraits } from "@bursar/core/money/Network"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import { addressOf } from "@bursar/simulator-bitcoin/scripts"
import { makeWallet } from "@bursar/simulator-bitcoin/Wallet"
import { Redacted } from "effect"
import type { Random } from "../../kernel/Random.ts"
import { through } from "../../kernel/through.ts"
import { type Faults, noFaults } from "../Faults.ts"
import { type Answering, fetchAt } from "../fetchAt.ts"
import type { WorldNetwork } from "../WorldNetwork.ts"
import { type BitcoinChain, makeBitcoinChain } from "./BitcoinChain.ts"
import { nodeWire } from "./nodeWire.ts"

/** How bitcoin differs from world to world. */
export interface BitcoinOptions {
  readonly random: Random
  readonly faults: Faults
  readonly traits: NetworkTraits
  readonly confirmations: number
  readonly finality: number
  readonly startsAt: number
  /** Which of the two nodes is of another operator, and now and then behind or false; null where there is one node. */
  readonly second: 0 | 1 | null
  readonly now: () => number
  readonly stirred: () => void
  readonly note: (what: string) => void
}

/** Bitcoin, with its chain. */
export interface BitcoinNetwork extends WorldNetwork {
  readonly chain: BitcoinChain
}

const chain = "regtest"

/** What is paid where the node has nothing to estimate from, in satoshi per 1,000 virtual bytes. */
const fallbackFeeRate = 2_000n

/** How many headers below the newest block a watch remembers. */
const reorgDepthMax = 16

const adapterAt = (host: string, { confirmations, finality, traits }: BitcoinOptions): NetworkAdapter => {
  const node = { rpcUrl: Redacted.make(`http://${host}/`), chain } as const
  const reader = makeBitcoinReader({ ...node, confirmations, pollIntervalMs: 4_000 })
  return {
    traits,
    chainId: chain,
    parseAddress: (text) => parseBitcoinAddress(chain, text),
    keys: bitcoinKeys(chain),
    codec: bitcoinCodec({ chain }),
    verifyChain: reader.verifyChain,
    reader: { ...reader, reorgDepthMax },
    sender: makeBitcoinSender({
      ...node,
      confirmations: finality,
      conflictConfirmations: finality,
      fallbackFeeRate,
      rebroadcastAfterMs: 10_000,
      replaceAfterMs: 40_000
    })
  }
}

/**
 * Bitcoin by its real adapter, over the wire of a regtest node that verifies all that it is given: only what the network does, and what
 * gets lost on the way, is drawn.
 */
export const bitcoinNetwork = (options: BitcoinOptions): BitcoinNetwork => {
  const { faults, now, random, second, stirred } = options
  const outsider = makeWallet(Buffer.from(random.for("outsider").bytes(32)).toString("hex"))
  const bitcoin = makeBitcoinChain({ ...options, outsider, hasOther: second !== null })
  const wire = { random: random.for("wire"), now, taken: (hex: string) => bitcoin.relay("own", hex) }
  const hosts = new Map<string, Answering>([["node.test", nodeWire({ ...wire, faults, node: bitcoin.node })]])
  if (bitcoin.other !== null)
    hosts.set(
      "other.test",
      nodeWire({ ...wire, faults, node: bitcoin.other, taken: (hex) => bitcoin.relay("other", hex) })
    )
  return {
    chain: bitcoin,
    reachedBy: (ask) => {
      const at = (host: string) => {
        const adapter = adapterAt(host, options)
        const reader = through(adapter.reader, "reader", ask)
        return { adapter: { ...adapter, reader, sender: through(adapter.sender, "sender", ask) } }
      }
      const own = at("node.test")
      if (second === null) return [own]
      const ours = { ...own, operator: "ours" }
      const other = { ...at("other.test"), operator: "provider" }
      return second === 0 ? [other, ours] : [ours, other]
    },
    asRead: (blocks) => {
      hosts.set("read.test", nodeWire({ ...wire, faults: noFaults, node: bitcoin.nodeAt(blocks) }))
      return adapterAt("read.test", options)
    },
    addressOf: (publicKey) => publicKeyAddresses(chain, publicKey)[0] ?? "",
    stranger: (draws) => addressOf(Uint8Array.of(0x00, 0x14, ...draws.bytes(20))) ?? "",
    endow: (to, contract, units) => {
      // in parts of which none is like another
      const parts = [units / 2n, units / 3n, units - units / 2n - units / 3n]
      bitcoin.pay(
        parts.map((part) => ({ to, contract, units: part })),
        true
      )
    },
    pay: (_, payment) => bitcoin.pay([payment], false),
    fetch: fetchAt(hosts, stirred)
  }
}
