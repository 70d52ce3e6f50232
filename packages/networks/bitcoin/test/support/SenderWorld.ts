import { Clock, Context, Effect, Layer, Redacted } from "effect"
import type { SendOrder } from "@bursar/core/port/ChainSender"
import type { Utxo } from "@bursar/core/port/Utxo"
import type { Fault } from "@bursar/simulator-bitcoin/Fault"
import { SenderWorld, type SenderFault } from "@bursar/testkit/suites/sender/SenderWorld"
import { type BitcoinSender, type BitcoinSenderOptions, makeBitcoinSender } from "@bursar/bitcoin"
import { Bitcoind } from "./Bitcoind.ts"
import { type KeyRing, makeKeyRing, signWith } from "./Keys.ts"
import { ownAddress, satoshi, signed, World, worldOn } from "./World.ts"

/** Blocks after which the sender of the tests calls a transaction final, or a coin lost. */
export const finalAfter = { confirmations: 2, conflictConfirmations: 3 }

/** What every coin of an account holds. */
export const coinUnits = 1_000_000n

/** Coins an account is given. */
const coinsPerAccount = 5

const forever = 1_000_000

const faultOf: Readonly<Record<SenderFault, Fault>> = {
  silent: { kind: "drop", times: forever },
  garbage: { kind: "garbage", times: forever, garbage: "wrong_types" },
  empty: { kind: "empty", times: forever },
  lagging: { kind: "lag", times: forever, lag_blocks: 3 },
  lost_reply: { kind: "lost_reply", times: forever, method: "sendrawtransaction" },
  refuse: {
    kind: "refuse",
    times: forever,
    method: "sendrawtransaction",
    error_code: -26,
    error_message: "mempool full"
  },
  duplicate: { kind: "duplicate", times: 1 }
}

/** What the tests of a sender need beyond the suite: coins at addresses of their choice, and calls to the node. */
export class BitcoinSenderWorld extends Context.Service<
  BitcoinSenderWorld,
  {
    readonly keys: KeyRing
    /** A sender of the same node with other settings. */
    readonly senderWith: (options: Partial<BitcoinSenderOptions>) => BitcoinSender
    /** Coins at the addresses, in this order, in the newest block, which is final. */
    readonly fund: (addresses: ReadonlyArray<string>, units?: bigint) => Effect.Effect<ReadonlyArray<Utxo>>
  }
>()("@bursar/bitcoin/test/BitcoinSenderWorld") {}

const make = Effect.gen(function* () {
  const { adapter, devnet, faults, mine, mineOnly, rpc, utxo } = yield* World
  const { rpcUrl } = yield* Bitcoind
  // Several files may share a node, and one node may outlive a run: no two of them have the same keys.
  const keys = makeKeyRing(`sender ${yield* rpc<string>("getbestblockhash")}`)
  const free = new Map<string, Array<Utxo>>()

  const senderWith = (options: Partial<BitcoinSenderOptions>) =>
    makeBitcoinSender({
      rpcUrl: Redacted.make(rpcUrl),
      chain: "regtest",
      fallbackFeeRate: 2_000n,
      ...finalAfter,
      ...options
    })

  const finalize = mine(finalAfter.conflictConfirmations)

  const fund = Effect.fnUntraced(function* (addresses: ReadonlyArray<string>, units = coinUnits) {
    const outputs = addresses.map((to) => ({ to, units }))
    const needed = units * BigInt(outputs.length) + 10_000n
    const spent = [yield* utxo]
    const sum = () => spent.reduce((total, one) => total + one.units, 0n)
    while (sum() <= needed) spent.push(yield* utxo)
    const left = sum() - needed
    const transaction = signed(spent, [...outputs, { to: ownAddress, units: left }])
    yield* mineOnly([transaction.toHex()])
    yield* finalize
    return addresses.map((address, vout): Utxo => ({ txHash: transaction.getId(), vout, units, address }))
  })

  const cannot = Effect.die(new Error("this node cannot be broken"))

  const { codec, sender } = adapter(finalAfter)
  const world = SenderWorld.of({
    sender,
    format: codec,
    contract: "",
    account: Effect.gen(function* () {
      const { p2wpkh } = keys.next()
      free.set(p2wpkh, [...(yield* fund(Array.from({ length: coinsPerAccount }, () => p2wpkh)))])
      return p2wpkh
    }),
    // more than 32 bits; a double holds all that there is
    large: { coin: 4_900_000_001n, token: 0n },
    richAccount: Effect.gen(function* () {
      const { p2wpkh } = keys.next()
      free.set(p2wpkh, [...(yield* fund([p2wpkh], 4_900_000_001n + coinUnits))])
      return p2wpkh
    }),
    // a transaction is final by then, and a rival a block later
    finalAfter: finalAfter.confirmations - 1,
    receiver: Effect.sync(() => keys.next().p2wpkh),
    unknownHash: "ee".repeat(32),
    balance: (address) =>
      rpc<{ readonly total_amount: number }>("scantxoutset", "start", [`addr(${address})`]).pipe(
        Effect.map(({ total_amount }) => satoshi(total_amount)),
        Effect.orDie
      ),
    memoOf: () => Effect.die(new Error("bitcoin has no memos")),
    take: (account) =>
      Effect.suspend(() => {
        const taken = free.get(account)?.shift()
        return taken === undefined
          ? Effect.die(new Error(`${account} has no coin left`))
          : Effect.succeed({ _tag: "Utxos", utxos: [taken] })
      }),
    validUntil: Effect.map(Clock.currentTimeMillis, (now) => now + 3_600_000),
    sign: (address, digest) => signWith(keys.of(address), digest),
    include: mine(1),
    finalize,
    reorg: Effect.gen(function* () {
      if (devnet !== undefined) return yield* devnet.faucet.reorg(1, false)
      // The node takes back into its mempool what pays for it: that waits there, as it did before.
      yield* rpc("invalidateblock", yield* rpc("getbestblockhash"))
      yield* mineOnly([])
    }).pipe(Effect.orDie),
    rival: Effect.fnUntraced(function* ({ guard }: SendOrder) {
      if (guard._tag !== "Utxos") return yield* Effect.die(new Error("bitcoin has coins"))
      const own = guard.utxos.slice(0, 1)
      // Without a fee: nodes mine it if they are told to, and do not take it back.
      const transaction = rivalOf(keys, own)
      yield* mineOnly([transaction.raw])
      return transaction.hash
    }),
    expire: () => Effect.die(new Error("nothing expires on bitcoin")),
    setPaused: () => Effect.die(new Error("bitcoin has no contracts")),
    breakNode: (fault) => faults?.inject(faultOf[fault]) ?? cannot,
    heal: faults?.clear ?? cannot
  })
  return Context.make(SenderWorld, world).pipe(
    Context.add(BitcoinSenderWorld, BitcoinSenderWorld.of({ keys, senderWith, fund }))
  )
}).pipe(Effect.orDie)

/** A transaction of an account's coins that the sender knows nothing of, and that pays no fee. */
const rivalOf = (keys: KeyRing, utxos: ReadonlyArray<Utxo>) => {
  const [first] = utxos
  if (first === undefined) throw new Error("there is no coin to spend")
  const { secret } = keys.of(first.address)
  const transaction = signed(
    utxos.map(({ txHash, units, vout }) => ({ txid: txHash, vout, units })),
    [{ to: ownAddress, units: utxos.reduce((sum, { units }) => sum + units, 0n) }],
    secret
  )
  return { hash: transaction.getId(), raw: transaction.toHex() }
}

/** The world of senders on a node, in the terms of the suite and of this package's own tests. */
export const senderWorldOn = <E>(node: Layer.Layer<Bitcoind, E>, world = worldOn(node)) =>
  Layer.effectContext(make).pipe(Layer.provideMerge(Layer.mergeAll(world, node)))
