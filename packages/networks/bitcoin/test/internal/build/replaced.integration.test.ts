import { assert, describe, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Result } from "effect"
import { bitcoinCodec } from "@bursar/bitcoin"
import { SenderWorld } from "@bursar/testkit/suites/sender/SenderWorld"
import { BitcoinSenderWorld, coinUnits, senderWorldOn } from "../../support/SenderWorld.ts"
import { coreLayer, devnetLayer, skipReason } from "../../support/Bitcoind.ts"
import { drainOf, orderOf, pay, sentOf, signedOf } from "../../support/orders.ts"
import { ownAddress, signed as signedUtxos, World } from "../../support/World.ts"

const suite = (name: string, world: ReturnType<typeof senderWorldOn>) =>
  layer(world, { excludeTestServices: true })(`replacements of bitcoin, on ${name}`, (it) => {
    it.effect("rule 2: keep every coin and every receiver, and take what they bid more from the change", () =>
      Effect.gen(function* () {
        const { balance, finalize, format, include, sender } = yield* SenderWorld
        const { fund, keys } = yield* BitcoinSenderWorld
        const payer = keys.next().p2wpkh
        const utxos = yield* fund([payer, payer])
        const payments = [
          pay(keys.next().p2wpkh, 600_000n),
          pay(keys.next().p2sh, 700_000n),
          pay(keys.next().p2pkh, 600n)
        ]
        const order = orderOf(utxos, payments)
        const first = yield* sentOf(order)
        const second = yield* sentOf({ ...order, replacing: first.signed.raw })
        const third = yield* sentOf({ ...order, replacing: second.signed.raw })
        const sent = [first, second, third]
        for (const { unsigned } of sent) {
          const read = Result.getOrThrow(format.read(unsigned.bytes))
          assert.deepStrictEqual(read.payments.slice(0, 3), payments)
          assert.strictEqual(read.digests.length, 2)
          const change = coinUnits * 2n - 1_300_600n - unsigned.feeMax
          assert.deepStrictEqual(read.payments.at(-1), pay(payer, change))
        }
        assert.isTrue(first.unsigned.feeMax < second.unsigned.feeMax && second.unsigned.feeMax < third.unsigned.feeMax)
        yield* include
        yield* finalize
        const status = yield* sender.status(
          order,
          sent.map(({ signed }) => signed)
        )
        assert.deepInclude(status, { _tag: "Final", hash: third.signed.hash, fee: third.unsigned.feeMax })
        for (const { to, units } of payments) assert.strictEqual(yield* balance(to, null), units)
      })
    )

    it.effect("of a sweep give less to the same receiver", () =>
      Effect.gen(function* () {
        const { fund, keys } = yield* BitcoinSenderWorld
        const utxos = yield* fund([keys.next().p2wpkh, keys.next().p2wpkh])
        const order = drainOf(utxos, keys.next().p2wpkh)
        const first = yield* sentOf(order)
        const second = yield* sentOf({ ...order, replacing: first.signed.raw })
        assert.strictEqual(second.unsigned.payments[0]?.to, order.payments[0]?.to)
        assert.strictEqual(second.unsigned.payments[0]?.units, coinUnits * 2n - second.unsigned.feeMax)
        assert.isTrue(second.unsigned.feeMax > first.unsigned.feeMax)
      })
    )

    it.effect(
      "pay for what others have built on what they replace, and for much of it only where an operator asks",
      () =>
        Effect.gen(function* () {
          const { include, sender } = yield* SenderWorld
          const { rpc } = yield* World
          const { fund, keys } = yield* BitcoinSenderWorld
          const payer = keys.next().p2wpkh
          const receiver = keys.next()
          const utxos = yield* fund([payer])
          const order = orderOf(utxos, [pay(receiver.p2wpkh, 100_000n)])
          const first = yield* sentOf(order)
          // The receiver spends what has not come into a block, and pays well for it.
          const received = { txid: first.signed.hash, vout: 0, units: 100_000n }
          const child = signedUtxos([received], [{ to: ownAddress, units: 60_000n }], receiver.secret)
          yield* rpc("sendrawtransaction", child.toHex())
          // at no cost for him, as it is gone with what it was built on: nothing is paid for that unless an operator asks
          const unasked = yield* Effect.flip(sender.build({ ...order, replacing: first.signed.raw }))
          assert.deepInclude(unasked, { _tag: "CannotBuild", reason: "fee_capped" })
          assert.match(unasked.detail, /for what others have built on what it replaces/u)
          const second = yield* sentOf({ ...order, replacing: first.signed.raw, insists: true })
          assert.isTrue(second.unsigned.feeMax > first.unsigned.feeMax + 40_000n)
          yield* include
          const status = yield* sender.status(order, [first.signed, second.signed])
          assert.strictEqual(status._tag === "Included" ? status.hash : status._tag, second.signed.hash)
        })
    )

    it.effect("outbid what the node has, which may not be what they are said to replace", () =>
      Effect.gen(function* () {
        const { sender } = yield* SenderWorld
        const { rpc } = yield* World
        const { fund, keys } = yield* BitcoinSenderWorld
        const receiver = keys.next()
        const utxos = yield* fund([keys.next().p2wpkh])
        const order = orderOf(utxos, [pay(receiver.p2wpkh, 100_000n)])
        const first = yield* sentOf(order)
        const second = yield* signedOf({ ...order, replacing: first.signed.raw })
        const received = { txid: first.signed.hash, vout: 0, units: 100_000n }
        const child = signedUtxos([received], [{ to: ownAddress, units: 60_000n }], receiver.secret)
        yield* rpc("sendrawtransaction", child.toHex())
        assert.deepInclude(yield* sender.broadcast(second.signed.raw), { _tag: "Rejected", reason: "fee_too_low" })
        yield* sentOf({ ...order, replacing: second.signed.raw, insists: true })
      })
    )

    it.effect("leave out what they are told to, and nobody else", () =>
      Effect.gen(function* () {
        const { balance, include } = yield* SenderWorld
        const { fund, keys } = yield* BitcoinSenderWorld
        const payer = keys.next().p2wpkh
        const utxos = yield* fund([payer])
        const [one, two, three] = [keys.next(), keys.next(), keys.next()].map(({ p2wpkh }) => pay(p2wpkh, 100_000n))
        if (one === undefined || two === undefined || three === undefined) return assert.fail("no payments")
        const first = yield* sentOf(orderOf(utxos, [one, two, three]))
        const parts = { replacing: first.signed.raw, leavesOut: [two] }
        const second = yield* sentOf(orderOf(utxos, [one, three], parts))
        // What was left out before is not there to be left out again.
        const third = yield* sentOf(orderOf(utxos, [one, three], { ...parts, replacing: second.signed.raw }))
        yield* include
        for (const { to } of [one, three]) assert.strictEqual(yield* balance(to, null), 100_000n)
        assert.strictEqual(yield* balance(two.to, null), 0n)
        assert.strictEqual(yield* balance(payer, null), coinUnits - 200_000n - third.unsigned.feeMax)
      })
    )

    it.effect("follow the market where it has gone up, and stop at the cap", () =>
      Effect.gen(function* () {
        const { fund, keys, senderWith } = yield* BitcoinSenderWorld
        const utxos = yield* fund([keys.next().p2wpkh])
        const order = orderOf(utxos, [pay(ownAddress, 100_000n)])
        const first = yield* signedOf(order)
        const replacing = { ...order, replacing: first.signed.raw }
        const dearer = yield* senderWith({ fallbackFeeRate: 50_000n }).build(replacing)
        assert.strictEqual(dearer.feeMax, 145n * 50n)
        const error = yield* Effect.flip(senderWith({ feeRateMax: 2_000n }).build(replacing))
        assert.strictEqual(error.reason, "fee_capped")
      })
    )

    it.effect("at the cap, with change that went to the fee, are still read by the format", () =>
      Effect.gen(function* () {
        const { fund, keys, senderWith } = yield* BitcoinSenderWorld
        const utxos = yield* fund([keys.next().p2pkh])
        const feeRateMax = 100_000n
        const strict = bitcoinCodec({ chain: "regtest", feeRateMax })
        const sender = senderWith({ fallbackFeeRate: feeRateMax, feeRateMax })
        // 194 virtual bytes, and a satoshi less than change of 546 and its output of 34 would need.
        for (const left of [19_400n, 19_400n + 3_400n + 545n]) {
          const { bytes, feeMax } = yield* sender.build(orderOf(utxos, [pay(ownAddress, coinUnits - left)]))
          assert.strictEqual(feeMax, left)
          assert.isTrue(Result.isSuccess(strict.read(bytes)))
        }
      })
    )

    it.effect("are not built where there is no change to take them from", () =>
      Effect.gen(function* () {
        const { sender } = yield* SenderWorld
        const { fund, keys } = yield* BitcoinSenderWorld
        const utxos = yield* fund([keys.next().p2wpkh])
        const order = orderOf(utxos, [pay(ownAddress, coinUnits - 300n)])
        const first = yield* signedOf(order)
        const error = yield* Effect.flip(sender.build({ ...order, replacing: first.signed.raw }))
        assert.strictEqual(error.reason, "insufficient_wallet")
      })
    )

    it.effect("may spend more coins than what they replace, which then pay for it", () =>
      Effect.gen(function* () {
        const { finalize, include, sender } = yield* SenderWorld
        const { fund, keys } = yield* BitcoinSenderWorld
        const payer = keys.next().p2wpkh
        const [one, other] = yield* fund([payer, payer])
        if (one === undefined || other === undefined) return assert.fail("no coins")
        const payments = [pay(keys.next().p2wpkh, coinUnits - 300n)]
        const first = yield* sentOf(orderOf([one], payments))
        const wider = orderOf([one, other], payments, { replacing: first.signed.raw })
        const second = yield* sentOf(wider)
        yield* include
        yield* finalize
        const sent = [first.signed, second.signed]
        const status = yield* sender.status(wider, sent)
        assert.deepInclude(status, { _tag: "Final", hash: second.signed.hash, fee: second.unsigned.feeMax })
        // With the coins of the first order alone, the fee is read from the chain.
        assert.deepStrictEqual(yield* sender.status(orderOf([one], payments), sent), status)
      })
    )

    it.effect("that pay nobody take the place of a payment that is not to be made", () =>
      Effect.gen(function* () {
        const { balance, finalize, include, sender } = yield* SenderWorld
        const { fund, keys } = yield* BitcoinSenderWorld
        const payer = keys.next().p2wpkh
        const to = keys.next().p2wpkh
        const utxos = yield* fund([payer])
        const order = orderOf(utxos, [pay(to, 100_000n)])
        const first = yield* sentOf(order)
        const second = yield* sentOf({ ...order, payments: [], replacing: first.signed.raw })
        yield* include
        yield* finalize
        const status = yield* sender.status(order, [first.signed, second.signed])
        assert.deepInclude(status, { _tag: "Final", hash: second.signed.hash, effect: "done" })
        assert.strictEqual(yield* balance(to, null), 0n)
        assert.strictEqual(yield* balance(payer, null), coinUnits - second.unsigned.feeMax)
      })
    )

    it.effect("rule 4: are never built with other coins, or without somebody who was to be paid", () =>
      Effect.gen(function* () {
        const { sender } = yield* SenderWorld
        const { fund, keys } = yield* BitcoinSenderWorld
        const payer = keys.next().p2wpkh
        const [one, other] = yield* fund([payer, payer])
        if (one === undefined || other === undefined) return assert.fail("no coins")
        const payments = [pay(ownAddress, 100_000n), pay(keys.next().p2wpkh, 200_000n)]
        const { signed } = yield* signedOf(orderOf([one], payments))
        const replacing = { replacing: signed.raw }
        const bugs = [
          orderOf([other], payments, replacing),
          orderOf([one], payments.slice(1), replacing),
          orderOf([one], [pay(ownAddress, 100_001n), ...payments.slice(1)], replacing),
          orderOf([one], payments.slice(1), { ...replacing, leavesOut: payments.slice(1) }),
          orderOf([one], payments, { replacing: Uint8Array.of(1) })
        ]
        for (const order of bugs) {
          const exit = yield* Effect.exit(sender.build(order))
          assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
        }
      })
    )

    it.effect("that bid no more are told to bid more, and both may still come", () =>
      Effect.gen(function* () {
        const { sender } = yield* SenderWorld
        const { fund, keys } = yield* BitcoinSenderWorld
        const payer = keys.next()
        const utxos = yield* fund([payer.p2wpkh])
        const order = orderOf(utxos, [pay(ownAddress, 100_000n)])
        const first = yield* sentOf(order)
        const [{ txHash, units, vout } = { txHash: "", units: 0n, vout: 0 }] = utxos
        const fee = first.unsigned.feeMax + 1n
        const low = signedUtxos(
          [{ txid: txHash, vout, units }],
          [
            { to: ownAddress, units: 100_000n },
            { to: payer.p2wpkh, units: units - 100_000n - fee }
          ],
          payer.secret
        )
        const answer = yield* sender.broadcast(low.toBuffer())
        assert.deepInclude(answer, { _tag: "Rejected", reason: "fee_too_low" })
        const second = { hash: low.getId(), raw: low.toBuffer(), validUntil: null }
        assert.deepStrictEqual(yield* sender.status(order, [first.signed, second]), { _tag: "Pending", known: true })
      })
    )
  })

suite("the devnet", senderWorldOn(devnetLayer))

describe.skipIf(skipReason !== undefined)(`Bitcoin Core${skipReason ?? ""}`, () => {
  suite("Bitcoin Core", senderWorldOn(coreLayer))
})
