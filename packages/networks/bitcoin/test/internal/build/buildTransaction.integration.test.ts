import { assert, describe, layer } from "@effect/vitest"
import { Transaction } from "bitcoinjs-lib"
import { Cause, Effect, Exit, Result } from "effect"
import { utxoSizes } from "../../../src/internal/plan/UtxoSizes.ts"
import { selectUtxos } from "../../../src/internal/plan/selectUtxos.ts"
import type { CannotBuild, SendOrder } from "@bursar/core/port/ChainSender"
import { SenderWorld } from "@bursar/testkit/suites/sender/SenderWorld"
import { BitcoinSenderWorld, coinUnits, senderWorldOn } from "../../support/SenderWorld.ts"
import { coreLayer, devnetLayer, skipReason } from "../../support/Bitcoind.ts"
import { drainOf, orderOf, pay, sentOf, signedOf } from "../../support/orders.ts"
import { ownAddress, satoshi, World } from "../../support/World.ts"

const p2tr = "bcrt1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqc8gma6"
const p2wsh = "bcrt1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qzf4jry"

/** Why it could not be built. */
const refusedBy = <E, R>(build: Effect.Effect<unknown, E | CannotBuild, R>) =>
  Effect.map(Effect.flip(build), (error) => {
    if (typeof error === "object" && error !== null && "reason" in error && "missing" in error) return error
    throw new Error(`built, or failed otherwise: ${JSON.stringify(error)}`)
  })

/** What a caller was told that did what no caller may. */
const bugOf = (order: SendOrder) =>
  Effect.gen(function* () {
    const { sender } = yield* SenderWorld
    const exit = yield* Effect.exit(sender.build(order))
    return Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "no bug"
  })

const suite = (name: string, world: ReturnType<typeof senderWorldOn>) =>
  layer(world, { excludeTestServices: true })(`what bitcoin builds, on ${name}`, (it) => {
    it.effect("sweeps coins of several keys and kinds of address into one output, to the satoshi", () =>
      Effect.gen(function* () {
        const { balance, finalize, include, sender } = yield* SenderWorld
        const { fund, keys } = yield* BitcoinSenderWorld
        const owners = [keys.next(), keys.next(), keys.next(), keys.next()]
        const [first, second, third, fourth] = owners
        if (first === undefined || second === undefined || third === undefined || fourth === undefined) return
        const found = yield* fund([first.p2wpkh, second.p2sh, third.p2pkh, fourth.p2wpkh, fourth.p2pkh])
        const utxos = found.map((utxo) =>
          utxo.address === second.p2sh ? { ...utxo, publicKey: Buffer.from(second.publicKey).toString("hex") } : utxo
        )
        const to = keys.next().p2wpkh
        const order = drainOf(utxos, to)
        const { signed, unsigned } = yield* sentOf(order)
        assert.lengthOf(unsigned.payments, 1)
        yield* include
        yield* finalize
        const units = coinUnits * 5n - unsigned.feeMax
        assert.strictEqual(unsigned.payments[0]?.units, units)
        assert.strictEqual(yield* balance(to, null), units)
        const status = yield* sender.status(order, [signed])
        assert.deepInclude(status, { _tag: "Final", hash: signed.hash, fee: unsigned.feeMax, effect: "done" })
      })
    )

    it.effect("pays many at once, to every kind of address, with the change to the payer", () =>
      Effect.gen(function* () {
        const { balance, format, include } = yield* SenderWorld
        const { fund, keys } = yield* BitcoinSenderWorld
        const payer = keys.next()
        const utxos = yield* fund([payer.p2wpkh, payer.p2wpkh, payer.p2wpkh])
        const receivers = Array.from({ length: 20 }, () => keys.next())
        const payments = [
          ...receivers.map(({ p2pkh, p2sh, p2wpkh }, index) =>
            pay([p2pkh, p2sh, p2wpkh][index % 3] ?? p2wpkh, 50_000n + BigInt(index))
          ),
          pay(p2tr, 330n),
          pay(p2wsh, 330n)
        ]
        const { unsigned } = yield* sentOf(orderOf(utxos, payments))
        const read = Result.getOrThrow(format.read(unsigned.bytes))
        assert.deepStrictEqual(read.payments.slice(0, -1), payments)
        yield* include
        const paid = payments.reduce((sum, { units }) => sum + units, 0n)
        assert.strictEqual(yield* balance(payer.p2wpkh, null), coinUnits * 3n - paid - unsigned.feeMax)
      })
    )

    it.effect("weighs no more than it was taken to, and pays the rate for what it weighs", () =>
      Effect.gen(function* () {
        const { fund, keys, senderWith } = yield* BitcoinSenderWorld
        const payer = keys.next()
        const utxos = yield* fund([payer.p2wpkh, payer.p2wpkh, payer.p2pkh])
        const rate = yield* senderWith({}).feeRate
        const { signed, unsigned } = yield* signedOf(orderOf(utxos, [pay(p2tr, 900_000n)]))
        const size = BigInt(Transaction.fromBuffer(Uint8Array.from(signed.raw)).virtualSize())
        assert.isTrue(unsigned.feeMax >= (size * (rate ?? 0n)) / 1000n)
        // Three signatures may each be a byte or two shorter, and the counts need less.
        assert.isTrue(unsigned.feeMax <= ((size + 14n) * (rate ?? 0n)) / 1000n)
      })
    )

    it.effect("costs what the choice of coins said, and gives the change that it said", () =>
      Effect.gen(function* () {
        const { format } = yield* SenderWorld
        const { fund, keys, senderWith } = yield* BitcoinSenderWorld
        const { p2wpkh } = keys.next()
        const utxos = yield* fund([p2wpkh, p2wpkh, p2wpkh])
        const targets = [pay(p2tr, 1_200_000n), pay(ownAddress, 5_000n)]
        const feeRate = (yield* senderWith({}).feeRate) ?? 0n
        const choice = { utxos, targets, changeTo: p2wpkh, feeRate, reserveRate: null, sizes: utxoSizes }
        const selection = selectUtxos(choice)
        if (selection._tag !== "Selected") return assert.fail("the coins do not suffice")
        assert.lengthOf(selection.utxos, 2)
        const { unsigned } = yield* sentOf(orderOf(selection.utxos, targets))
        assert.strictEqual(unsigned.feeMax, selection.fee)
        assert.deepStrictEqual(
          Result.getOrThrow(format.read(unsigned.bytes)).payments.at(-1),
          pay(p2wpkh, selection.change)
        )
      })
    )

    it.effect("gives change that is dust to the miner", () =>
      Effect.gen(function* () {
        const { format } = yield* SenderWorld
        const { fund, keys } = yield* BitcoinSenderWorld
        const utxos = yield* fund([keys.next().p2wpkh])
        const { unsigned } = yield* sentOf(orderOf(utxos, [pay(ownAddress, coinUnits - 500n)]))
        assert.strictEqual(unsigned.feeMax, 500n)
        assert.lengthOf(Result.getOrThrow(format.read(unsigned.bytes)).payments, 1)
      })
    )

    it.effect("says how much its coins lack, its fee included", () =>
      Effect.gen(function* () {
        const { sender } = yield* SenderWorld
        const { fund, keys } = yield* BitcoinSenderWorld
        const utxos = yield* fund([keys.next().p2wpkh])
        const built = sender.build(orderOf(utxos, [pay(ownAddress, coinUnits)]))
        const error = yield* refusedBy(built)
        assert.strictEqual(error.reason, "insufficient_wallet")
        // 114 virtual bytes without change, at 2 satoshi each.
        assert.deepStrictEqual({ ...error.missing }, { contract: null, units: 228n })
      })
    )

    it.effect("refuses what nobody can be paid, before it asks for coins", () =>
      Effect.gen(function* () {
        const { sender } = yield* SenderWorld
        const { fund, keys } = yield* BitcoinSenderWorld
        const utxos = yield* fund([keys.next().p2wpkh])
        const wrong = [
          pay("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", 10_000n),
          pay("nobody", 10_000n),
          pay(ownAddress, 293n),
          { ...pay(ownAddress, 10_000n), contract: "token" },
          { ...pay(ownAddress, 10_000n), memo: { type: "text", value: "hello" } as const }
        ]
        for (const payment of wrong) {
          const error = yield* refusedBy(sender.build(orderOf(utxos, [payment])))
          assert.strictEqual(error.reason, "destination_invalid")
        }
      })
    )

    it.effect("does not pay more than the cap, whatever the network asks", () =>
      Effect.gen(function* () {
        const { fund, keys, senderWith } = yield* BitcoinSenderWorld
        const utxos = yield* fund([keys.next().p2wpkh])
        const capped = senderWith({ fallbackFeeRate: null, feeRateMax: 500n })
        const dear = senderWith({ fallbackFeeRate: 500n, feeRateMax: 500n })
        const order = orderOf(utxos, [pay(ownAddress, 10_000n)])
        // The node relays nothing below 1,000.
        assert.strictEqual((yield* refusedBy(dear.build(order))).reason, "fee_capped")
        assert.strictEqual((yield* Effect.flip(capped.build(order)))._tag, "ChainError")
      })
    )

    it.effect("rule 18: never spends a coin that only waits for a block", () =>
      Effect.gen(function* () {
        const { include, sender } = yield* SenderWorld
        const { fund, keys, senderWith } = yield* BitcoinSenderWorld
        const { p2wpkh } = keys.next()
        const utxos = yield* fund([p2wpkh])
        const { signed, unsigned } = yield* sentOf(orderOf(utxos, [pay(ownAddress, 10_000n)]))
        const change = {
          txHash: signed.hash,
          vout: 1,
          units: coinUnits - 10_000n - unsigned.feeMax,
          address: p2wpkh
        }
        const order = orderOf([change], [pay(ownAddress, 10_000n)])
        const find = senderWith({}).utxos
        assert.deepStrictEqual(yield* find([p2wpkh]), utxos)
        const error = yield* Effect.flip(sender.build(order))
        assert.strictEqual(error._tag === "ChainError" ? error.reason : error.reason, "absent")
        yield* include
        assert.deepStrictEqual(yield* find([p2wpkh]), [change])
        assert.strictEqual((yield* sender.build(order)).payments.length, 1)
        // What has spent it is in a block: it is no coin any more.
        assert.strictEqual((yield* Effect.flip(sender.build(orderOf(utxos, order.payments))))._tag, "ChainError")
      })
    )

    it.effect("believes no coin that the chain says is another: of another amount, address or key", () =>
      Effect.gen(function* () {
        const { sender } = yield* SenderWorld
        const { fund, keys } = yield* BitcoinSenderWorld
        const owner = keys.next()
        const [plain, nested] = yield* fund([owner.p2wpkh, owner.p2sh])
        if (plain === undefined || nested === undefined) return assert.fail("no coins")
        const wrong = [
          { ...plain, units: coinUnits + 1n },
          { ...plain, address: keys.next().p2wpkh },
          nested,
          { ...nested, publicKey: Buffer.from(keys.next().publicKey).toString("hex") }
        ]
        for (const utxo of wrong) {
          const error = yield* Effect.flip(
            sender.build(orderOf([utxo], [pay(ownAddress, 10_000n)], { from: ownAddress }))
          )
          assert.strictEqual(error.reason, "inconsistent")
        }
      })
    )

    it.effect("finds all coins of several addresses, and none that a block is too young for", () =>
      Effect.gen(function* () {
        const { balance, sender } = yield* SenderWorld
        const { rpc } = yield* World
        const { fund, keys, senderWith } = yield* BitcoinSenderWorld
        const one = keys.next()
        const other = keys.next()
        const utxos = yield* fund([one.p2wpkh, other.p2sh, one.p2pkh, one.p2wpkh])
        yield* rpc("generatetoaddress", 1, one.p2wpkh)
        const find = senderWith({}).utxos
        const found = yield* find([one.p2wpkh, one.p2pkh, other.p2sh, keys.next().p2wpkh])
        assert.sameDeepMembers([...found], [...utxos])
        assert.deepStrictEqual(yield* find([]), [])
        const held = yield* sender.balance(one.p2wpkh, null)
        assert.strictEqual(held, yield* balance(one.p2wpkh, null))
        assert.isTrue(held > coinUnits * 2n)
        const scan = yield* rpc<{
          readonly unspents: ReadonlyArray<{ txid: string; vout: number; amount: number; coinbase: boolean }>
        }>("scantxoutset", "start", [`addr(${one.p2wpkh})`])
        const young = scan.unspents.find(({ coinbase }) => coinbase)
        if (young === undefined) return assert.fail("nothing was mined")
        const utxo = { txHash: young.txid, vout: young.vout, units: satoshi(young.amount), address: one.p2wpkh }
        const error = yield* refusedBy(sender.build(orderOf([utxo], [pay(ownAddress, 10_000n)])))
        assert.strictEqual(error.reason, "insufficient_wallet")
      })
    )

    it.effect("holds it for a bug to build what no caller may order", () =>
      Effect.gen(function* () {
        const { fund, keys } = yield* BitcoinSenderWorld
        const utxos = yield* fund([keys.next().p2wpkh])
        const payments = [pay(ownAddress, 10_000n)]
        const many = Array.from({ length: 101 }, () => pay(ownAddress, 1_000n))
        assert.match(yield* bugOf(orderOf([...utxos, ...utxos], payments)), /stands twice/)
        assert.match(yield* bugOf(orderOf([], payments)), /spends coins/)
        assert.match(yield* bugOf(orderOf(utxos, payments, { guard: { _tag: "Expiry" } })), /spends coins/)
        assert.match(yield* bugOf(orderOf(utxos, many)), /no more than 100/)
        assert.match(yield* bugOf(orderOf(utxos, [...payments, ...payments], { drain: true })), /one receiver/)
      })
    )
  })

suite("the devnet", senderWorldOn(devnetLayer))

describe.skipIf(skipReason !== undefined)(`Bitcoin Core${skipReason ?? ""}`, () => {
  suite("Bitcoin Core", senderWorldOn(coreLayer))
})
