import { address as codec, crypto, script as codes, Transaction } from "bitcoinjs-lib"
import { Context, Effect, Layer, Redacted } from "effect"
import { pointFromScalar, sign } from "tiny-secp256k1"
import { type BitcoinReader, makeBitcoinReader, makeMempoolReader } from "@bursar/bitcoin"
import type { Mempool } from "@bursar/core/port/Chain"
import type { Fault } from "@bursar/simulator-bitcoin/Fault"
import { ChainWorld, type NodeFault } from "@bursar/testkit/suites/chain/ChainWorld"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import type { BitcoinNetworkSettings } from "@bursar/bitcoin"
import { bitcoinOver } from "./adapterWorld.ts"
import { Bitcoind } from "./Bitcoind.ts"
import type { Rpc } from "./Rpc.ts"

/** A coin of the tests' own key. */
export interface TestUtxo {
  readonly txid: string
  readonly vout: number
  readonly units: bigint
}

/** An output to be made. */
export interface Output {
  readonly to: string
  readonly units: bigint
}

const key = new Uint8Array(32).fill(0x42)
const publicKey = pointFromScalar(key, true) ?? new Uint8Array()
const hash = crypto.hash160(publicKey)

/** The address of the tests' own key. */
export const ownAddress = codec.toBech32(hash, 0, "bcrt")

const regtest = {
  messagePrefix: "",
  bech32: "bcrt",
  bip32: { public: 0, private: 0 },
  pubKeyHash: 0x6f,
  scriptHash: 0xc4,
  wif: 0xef
}

/** Signs a transaction of P2WPKH coins of one key, the tests' own if none is given; what the outputs leave is the fee. */
export const signed = (
  utxos: ReadonlyArray<TestUtxo>,
  outputs: ReadonlyArray<Output>,
  secret: Uint8Array = key
): Transaction => {
  const signer = pointFromScalar(secret, true) ?? new Uint8Array()
  const transaction = new Transaction()
  transaction.version = 2
  for (const { txid, vout } of utxos) {
    transaction.addInput(Uint8Array.from(Buffer.from(txid, "hex").toReversed()), vout, 0xffff_fffd)
  }
  for (const { to, units } of outputs) transaction.addOutput(codec.toOutputScript(to, regtest), units)
  const scriptCode = Uint8Array.of(0x76, 0xa9, 0x14, ...crypto.hash160(signer), 0x88, 0xac)
  for (const [input, { units }] of utxos.entries()) {
    const digest = transaction.hashForWitnessV0(input, scriptCode, units, Transaction.SIGHASH_ALL)
    transaction.setWitness(input, [codes.signature.encode(sign(digest, secret), Transaction.SIGHASH_ALL), signer])
  }
  return transaction
}

/** Satoshi of an amount in JSON; tests deal in amounts that a double holds. */
export const satoshi = (amount: number): bigint => BigInt(Math.round(amount * 100_000_000))

interface Utxo {
  readonly txid: string
  readonly vout: number
  readonly amount: number
  readonly coinbase: boolean
  readonly confirmations: number
}

/** A regtest network with a reader of it, and the means to move it through its RPC alone. */
export class World extends Context.Service<
  World,
  {
    readonly chain: BitcoinReader
    /** The adapter of the node, with other settings where a test wants them. */
    readonly adapter: (settings?: Partial<BitcoinNetworkSettings>) => NetworkAdapter
    readonly mempool: Mempool
    readonly rpc: Rpc
    readonly devnet: Bitcoind["Service"]["devnet"]
    readonly faults: Bitcoind["Service"]["faults"]
    /** An address that has received nothing yet. */
    readonly address: Effect.Effect<string>
    /** A mature coin of the tests' own, never the same twice. */
    readonly utxo: Effect.Effect<TestUtxo>
    /** Mines a block of these transactions alone, later than the one before; gives its hash. */
    readonly mineOnly: (transactions: ReadonlyArray<string>) => Effect.Effect<string>
    /** Mines the mempool, each block later than the one before. */
    readonly mine: (count: number) => Effect.Effect<void>
  }
>()("@bursar/bitcoin/test/World") {}

const makeWorld = Effect.gen(function* () {
  const { devnet, faults, rpc, rpcUrl } = yield* Bitcoind
  const options = { rpcUrl: Redacted.make(rpcUrl), chain: "regtest" } as const
  const used = new Set<string>()
  let serial = 0
  let time = 0

  /** Bitcoin Core may give blocks the same time. The devnet never does, and has no clock to set. */
  const tick = Effect.gen(function* () {
    if (devnet !== undefined) return
    const tip = yield* rpc<{ readonly time: number }>("getblockheader", yield* rpc("getbestblockhash"))
    // Never a time that was used: the same block may have been replaced, and is not taken again.
    time = Math.max(time, tip.time) + 1
    yield* rpc("setmocktime", time)
  })
  const mine = (count: number) =>
    Effect.andThen(tick, rpc("generatetoaddress", 1, ownAddress)).pipe(
      Effect.repeat({ times: count - 1 }),
      Effect.asVoid,
      Effect.orDie
    )
  yield* rpc("generatetoaddress", 150, ownAddress)

  return World.of({
    chain: makeBitcoinReader(options),
    adapter: bitcoinOver(rpcUrl),
    mempool: makeMempoolReader(options),
    rpc,
    devnet,
    faults,
    address: Effect.sync(() => {
      const bytes = new Uint8Array(20)
      new DataView(bytes.buffer).setUint32(16, ++serial)
      return codec.toBech32(bytes, 0, "bcrt")
    }),
    utxo: Effect.gen(function* () {
      const scan = yield* rpc<{ readonly unspents: ReadonlyArray<Utxo> }>("scantxoutset", "start", [
        `addr(${ownAddress})`
      ])
      const found = scan.unspents.find(
        ({ coinbase, confirmations, txid, vout }) => coinbase && confirmations >= 110 && !used.has(`${txid}:${vout}`)
      )
      if (found === undefined) return yield* Effect.die(new Error("the tests have no coin left"))
      used.add(`${found.txid}:${found.vout}`)
      return { txid: found.txid, vout: found.vout, units: satoshi(found.amount) }
    }).pipe(Effect.orDie),
    mineOnly: (transactions) =>
      Effect.andThen(tick, rpc<{ readonly hash: string }>("generateblock", ownAddress, transactions)).pipe(
        Effect.map(({ hash: mined }) => mined),
        Effect.orDie
      ),
    mine
  })
}).pipe(Effect.orDie)

/** The world on a node. */
export const worldOn = <E>(node: Layer.Layer<Bitcoind, E>) => Layer.effect(World, makeWorld).pipe(Layer.provide(node))

const faultOf: Readonly<Record<NodeFault, Fault>> = {
  silent: { kind: "drop", times: 1_000_000 },
  garbage: { kind: "garbage", times: 1_000_000, garbage: "wrong_types" },
  empty: { kind: "empty", times: 1_000_000 },
  lagging: { kind: "lag", times: 1_000_000, lag_blocks: 3 }
}

interface VerboseBlock {
  readonly tx: ReadonlyArray<{ readonly hex: string }>
}

/** The world in the terms of the suite of chain readers. */
export const chainWorld = Layer.effect(
  ChainWorld,
  Effect.map(World, ({ adapter, address, chain, faults, mine, mineOnly, rpc, utxo }) => {
    const fee = 1_000n
    const pay = (outputs: ReadonlyArray<Output>) =>
      Effect.gen(function* () {
        const paid = outputs.reduce((sum, { units }) => sum + units, 0n)
        const spent: Array<TestUtxo> = []
        const sum = () => spent.reduce((total, { units }) => total + units, 0n)
        while (sum() <= paid + fee) spent.push(yield* utxo)
        const transaction = signed(spent, [...outputs, { to: ownAddress, units: sum() - paid - fee }])
        // Mined as it is: the suite sends less than nodes relay.
        return { txHash: transaction.getId(), blockHash: yield* mineOnly([transaction.toHex()]) }
      })
    const cannot = Effect.die(new Error("this node cannot be broken"))
    const noTokens = Effect.die(new Error("bitcoin has no tokens"))
    return ChainWorld.of({
      reader: adapter().reader,
      address,
      unknownHash: "ee".repeat(32),
      token: "",
      anotherToken: null,
      // more than 32 bits; a double holds all that there is
      large: { coin: 4_900_000_001n, token: 0n },
      // three confirmations: its own block is the first
      finalAfter: 2,
      send: (to, units, contract) =>
        contract === null ? Effect.map(pay([{ to, units }]), (mined) => ({ ...mined, from: null })) : noTokens,
      sendOther: () => noTokens,
      sendFailing: () => noTokens,
      sendWithMemo: () => Effect.die(new Error("bitcoin has no memos")),
      sendMany: (to, amounts, contract) =>
        contract === null ? pay(amounts.map((units) => ({ to, units }))) : noTokens,
      mine,
      reorg: Effect.fnUntraced(function* (depth, transactions) {
        const { latest } = yield* chain.tip
        const lowest = latest.number - depth + 1
        const heights = Array.from({ length: depth }, (_, index) => lowest + index)
        const hashes = yield* Effect.forEach(heights, (height) => rpc<string>("getblockhash", height))
        const lost = yield* Effect.forEach(hashes, (one) => rpc<VerboseBlock>("getblock", one, 2))
        yield* rpc("invalidateblock", hashes[0])
        const raws = lost.map(({ tx }) => tx.slice(1).map(({ hex }) => hex))
        const again = {
          kept: raws,
          together: [...raws.slice(1).map(() => []), raws.flat()],
          dropped: raws.map(() => [])
        }
        for (const block of again[transactions]) yield* mineOnly(block)
      }, Effect.orDie),
      breakNode: (fault) => faults?.inject(faultOf[fault]) ?? cannot,
      heal: faults?.clear ?? cannot
    })
  })
)
