import type { Json } from "./support/TamperingNode.ts"
import { base58Of } from "@bursar/simulator-tron/address"
import { splitter } from "@bursar/simulator-tron/contracts"
import type { SendOrder, SignedAttempt } from "@bursar/core/port/ChainSender"
import { SenderWorld } from "@bursar/testkit/suites/sender/SenderWorld"
import { anOrder, paymentOf, sentOrder, signedOrder } from "@bursar/testkit/suites/sender/steps"
import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Result } from "effect"
import { decodeRaw } from "../src/internal/build/RawTransaction.ts"
import { SendingDevnet, senderWorld, solidifiedLag, token } from "./support/SenderWorldLayer.ts"
import { tamper } from "./support/TamperingNode.ts"
import { inHex } from "./support/World.ts"

const live = senderWorld.pipe(Layer.provideMerge(SendingDevnet.layer))

/** A sender whose node can be made to lie. */
const tampered = Effect.gen(function* () {
  const { devnet, sender } = yield* SendingDevnet
  const node = yield* tamper(devnet.nodeUrl)
  return { ...node, liar: sender({ nodeUrl: node.nodeUrl }) }
})

const expired = Effect.fnUntraced(function* (order: SendOrder) {
  const world = yield* SenderWorld
  const signed = yield* signedOrder(order)
  yield* world.expire(signed)
  return signed
})

const refusal = (effect: ReturnType<SenderWorld["Service"]["sender"]["build"]>) =>
  Effect.map(Effect.flip(effect), (error) =>
    error._tag === "CannotBuild" ? error : assert.fail(`${error.doing}: ${error.detail}`)
  )

const feeLimitOf = (bytes: Uint8Array): bigint => Result.getOrThrow(decodeRaw(bytes)).feeLimit

layer(live, { excludeTestServices: true })("TronSender: proof of impossibility", (it) => {
  it.effect("rule 3: an order has not failed while only a block that may be replaced is past the expiration", () =>
    Effect.gen(function* () {
      const { devnet } = yield* SendingDevnet
      const { finalize, sender } = yield* SenderWorld
      const order = yield* anOrder()
      const signed = yield* signedOrder(order)
      devnet.faucet.chain.mine(order.validUntil + 1)
      assert.deepStrictEqual(yield* sender.status(order, [signed]), { _tag: "Pending", known: false })
      yield* finalize
      assert.strictEqual((yield* sender.status(order, [signed]))._tag, "Invalidated")
    })
  )

  it.effect("rule 3: an expiration equal to the time of the newest solidified block proves nothing", () =>
    Effect.gen(function* () {
      const { devnet } = yield* SendingDevnet
      const { chain } = devnet.faucet
      const { sender } = yield* SenderWorld
      const order = yield* anOrder()
      const signed = yield* signedOrder(order)
      chain.mine(order.validUntil)
      for (let mined = 0; mined < solidifiedLag; mined += 1) chain.mine(order.validUntil)
      assert.strictEqual(chain.at(chain.solid())?.time, order.validUntil)
      assert.strictEqual((yield* sender.status(order, [signed]))._tag, "Pending")
    })
  )

  it.effect("finds a transaction in the last block that could have it, whose time is past the expiration", () =>
    Effect.gen(function* () {
      const { devnet } = yield* SendingDevnet
      const { finalize, sender } = yield* SenderWorld
      const order = yield* anOrder()
      const signed = yield* sentOrder(order)
      devnet.faucet.chain.mine(order.validUntil + 5_000)
      yield* finalize
      const status = yield* sender.status(order, [signed])
      assert.strictEqual(status._tag === "Final" ? status.effect : status._tag, "done")
    })
  )

  it.effect("rule 8: an empty lookup is not believed: the blocks themselves are read", () =>
    Effect.gen(function* () {
      const { change, honest, liar } = yield* tampered
      const { expire, include } = yield* SenderWorld
      const order = yield* anOrder()
      const signed = yield* sentOrder(order)
      yield* include
      yield* expire(signed)
      change("gettransactioninfobyid", () => ({}))
      const error = yield* Effect.flip(liar.status(order, [signed]))
      assert.strictEqual(error.reason, "inconsistent")
      assert.match(error.detail, /in a block/u)
      honest()
      assert.strictEqual((yield* liar.status(order, [signed]))._tag, "Final")
    })
  )

  it.effect("proves nothing from a node that lacks a block of the window, or has one without its transactions", () =>
    Effect.gen(function* () {
      const { change, honest, liar } = yield* tampered
      const { account, expire, include } = yield* SenderWorld
      const order = yield* anOrder()
      const signed = yield* signedOrder(order)
      yield* account
      yield* Effect.forEach(Array.from({ length: 25 }), () => include)
      yield* expire(signed)
      const listOf = (answer: unknown): ReadonlyArray<Json> =>
        // The local node gives a list of blocks here.
        (answer as { readonly block: ReadonlyArray<Json> }).block
      const lies: Readonly<Record<string, (blocks: ReadonlyArray<Json>) => ReadonlyArray<Json>>> = {
        "no blocks": () => [],
        "one less": (blocks) => blocks.slice(0, -1),
        "one twice": ([first = {}, ...rest]) => [first, first, ...rest.slice(1)],
        "in another order": (blocks) => blocks.toReversed(),
        "without transactions": (blocks) => blocks.map(({ transactions: _transactions, ...block }) => block)
      }
      for (const [what, lie] of Object.entries(lies)) {
        change("getblockbylimitnext", (answer) => ({ block: lie(listOf(answer)) }))
        const error = yield* Effect.flip(liar.status(order, [signed]))
        assert.strictEqual(error.reason, "inconsistent", what)
      }
      honest()
      const status = yield* liar.status(order, [signed])
      assert.strictEqual(status._tag === "Invalidated" ? status.reason : status._tag, "expired_unsent")
    })
  )

  it.effect("proves nothing from a node of another chain, on which the block that was named is another", () =>
    Effect.gen(function* () {
      const order = yield* anOrder()
      const signed = yield* expired(order)
      const strange = yield* Effect.gen(function* () {
        const { devnet, sender } = yield* SendingDevnet
        for (let mined = 0; mined < 30; mined += 1) devnet.faucet.chain.mine(order.validUntil - 60_000 + mined)
        devnet.faucet.chain.mine(order.validUntil + 1)
        yield* devnet.faucet.mine(solidifiedLag)
        return yield* Effect.flip(sender({}).status(order, [signed]))
      }).pipe(Effect.provide(Layer.fresh(SendingDevnet.layer)))
      assert.strictEqual(strange._tag, "ChainError")
    })
  )

  it.effect("waits for the one of two transactions that may still come, though the other has expired", () =>
    Effect.gen(function* () {
      const { finalize, include, sender } = yield* SenderWorld
      const order = yield* anOrder()
      const first = yield* expired(order)
      const second = yield* signedOrder({ ...order, validUntil: order.validUntil + 600_000, salt: order.salt + 1 })
      assert.strictEqual((yield* sender.status(order, [first]))._tag, "Invalidated")
      assert.strictEqual((yield* sender.status(order, [first, second]))._tag, "Pending")
      yield* sender.broadcast(second.raw)
      assert.deepStrictEqual(yield* sender.status(order, [first, second]), { _tag: "Pending", known: true })
      yield* include
      yield* finalize
      const status = yield* sender.status(order, [first, second])
      assert.strictEqual(status._tag === "Final" ? status.hash : status._tag, second.hash)
    })
  )

  it.effect("concludes nothing by itself where two transactions of an order took effect", () =>
    Effect.gen(function* () {
      const { finalize, include, sender } = yield* SenderWorld
      const order = yield* anOrder()
      const both: ReadonlyArray<SignedAttempt> = [
        yield* sentOrder(order),
        yield* sentOrder({ ...order, salt: order.salt + 1_000 })
      ]
      yield* include
      yield* finalize
      const error = yield* Effect.flip(sender.status(order, both))
      assert.match(error.detail, /more than one/u)
    })
  )

  it.effect("rule 11: calls it missing, not done, where the call succeeded and no transfer is there", () =>
    Effect.gen(function* () {
      const { change, liar } = yield* tampered
      const { contract, finalize, include } = yield* SenderWorld
      const order = yield* anOrder({ contract })
      const signed = yield* sentOrder(order)
      yield* include
      yield* finalize
      change("gettransactioninfobyblocknum", (answer) =>
        // The local node gives a list of infos here.
        (answer as ReadonlyArray<Json>).map(({ log: _log, ...info }) => info)
      )
      const status = yield* liar.status(order, [signed])
      assert.strictEqual(status._tag === "Final" ? status.effect : status._tag, "missing")
    })
  )
})

layer(live, { excludeTestServices: true })("TronSender: building and asking", (it) => {
  it.effect("rule 2: holds it for a bug to ask for a replacement, which tron does not have", () =>
    Effect.gen(function* () {
      const { sender } = yield* SenderWorld
      const order = yield* anOrder()
      const signed = yield* signedOrder(order)
      const exit = yield* Effect.exit(sender.build({ ...order, replacing: signed.raw }))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    })
  )

  it.effect("limits energy to what was tried with a margin, with room for a receiver who empties the account", () =>
    Effect.gen(function* () {
      const { account, contract, sender } = yield* SenderWorld
      const from = yield* account
      const holder = yield* account
      const toHolder = yield* anOrder({ from, to: holder, contract })
      const toFirst = yield* anOrder({ from, contract })
      const worst = feeLimitOf((yield* sender.build(toFirst)).bytes)
      assert.isTrue(worst >= 130_285n * 120n && worst <= 132_000n * 120n, String(worst))
      assert.strictEqual(feeLimitOf((yield* sender.build(toHolder)).bytes), worst)
      // A sweep goes to an account of ours, which is not emptied meanwhile.
      const sweep = feeLimitOf((yield* sender.build({ ...toHolder, drain: true })).bytes)
      assert.strictEqual(sweep, ((64_285n * 12n + 9n) / 10n) * 100n)
    })
  )

  it.effect("builds nothing that may cost more than the cap", () =>
    Effect.gen(function* () {
      const { sender: senderOf } = yield* SendingDevnet
      const { contract } = yield* SenderWorld
      const order = yield* anOrder({ contract })
      assert.strictEqual((yield* refusal(senderOf({ feeLimitMax: 9_000_000n }).build(order))).reason, "fee_capped")
      const cheap = senderOf({ bandwidthPriceMax: 999n })
      assert.strictEqual((yield* refusal(cheap.build(yield* anOrder()))).reason, "fee_capped")
      const capped = yield* senderOf({ feeLimitMax: 15_700_000n }).build(order)
      assert.strictEqual(feeLimitOf(capped.bytes), 15_700_000n)
    })
  )

  it.effect("says how much TRX is missing for a token that is there", () =>
    Effect.gen(function* () {
      const { devnet } = yield* SendingDevnet
      const { contract, finalize, include, receiver, sender } = yield* SenderWorld
      const from = yield* receiver
      yield* devnet.faucet.transfer(token, inHex(from), 1_000_000n)
      yield* include
      yield* finalize
      const error = yield* refusal(sender.build(yield* anOrder({ from, contract })))
      assert.strictEqual(error.reason, "insufficient_wallet")
      assert.isNull(error.missing?.contract)
      assert.isTrue((error.missing?.units ?? 0n) > 13_000_000n)
    })
  )

  it.effect(
    "rule 17: tells a blacklisted receiver, a blacklisted sender and a contract from those who can be paid",
    () =>
      Effect.gen(function* () {
        const { devnet } = yield* SendingDevnet
        const { contract, include, sender } = yield* SenderWorld
        const order = yield* anOrder({ contract })
        const payment = paymentOf(order)
        assert.deepStrictEqual(yield* sender.preflight(payment), { _tag: "Payable" })
        yield* devnet.faucet.setBlacklisted(token, inHex(payment.to), true)
        yield* devnet.faucet.setBlacklisted(token, inHex(order.from), true)
        yield* include
        const refused = yield* sender.preflight(payment)
        assert.strictEqual(refused._tag === "Unpayable" ? refused.code : refused._tag, "address_invalid")
        const error = yield* refusal(sender.build(order))
        assert.strictEqual(error.reason, "asset_blocked")
        assert.match(error.detail, /the sender is blacklisted/u)
        const to = base58Of(splitter.address)
        const native = yield* sender.preflight({ ...payment, contract: null, to })
        assert.strictEqual(native._tag === "Unpayable" ? native.code : native._tag, "address_invalid")
        assert.strictEqual((yield* refusal(sender.build(yield* anOrder({ to })))).reason, "destination_invalid")
        const memo = yield* sender.preflight({ ...payment, contract: null, memo: { type: "text", value: "1" } })
        assert.strictEqual(memo._tag === "Unpayable" ? memo.code : memo._tag, "memo_invalid")
      })
  )

  it.effect("rule 16: takes the dearer case, and says so, only where the receiver is not known", () =>
    Effect.gen(function* () {
      const { account, contract, receiver, sender } = yield* SenderWorld
      const from = yield* account
      const holder = yield* account
      const fresh = yield* receiver
      const estimate = (to: string | null) => sender.estimate({ from, to, contract, units: 5n })
      const [first, holding, unknown] = [yield* estimate(fresh), yield* estimate(holder), yield* estimate(null)]
      assert.deepStrictEqual(
        [first, holding, unknown].map(({ assumedWorstCase, recipientHoldsAsset }) => [
          recipientHoldsAsset,
          assumedWorstCase
        ]),
        [
          [false, false],
          [true, false],
          [null, true]
        ]
      )
      assert.isTrue((holding.fee ?? 0n) < (first.fee ?? 0n) && (first.fee ?? 0n) <= (unknown.fee ?? 0n))
      const coin = (to: string | null) => sender.estimate({ from, to, contract: null, units: 5n })
      assert.deepStrictEqual(yield* coin(fresh), {
        fee: 1_100_000n,
        recipientHoldsAsset: null,
        assumedWorstCase: false
      })
      assert.deepStrictEqual(yield* coin(null), { fee: 1_100_000n, recipientHoldsAsset: null, assumedWorstCase: true })
      assert.strictEqual((yield* coin(holder)).fee, 0n, "the free bandwidth is enough")
    })
  )

  it.effect("builds nothing on a node whose newest block is old, or that has none", () =>
    Effect.gen(function* () {
      const { change, liar } = yield* tampered
      const { devnet } = yield* SendingDevnet
      const order = yield* anOrder()
      change("getblock", () => ({}))
      assert.strictEqual((yield* Effect.flip(liar.build(order)))._tag, "ChainError")
      const first = yield* Effect.promise(async () => {
        const body = JSON.stringify({ id_or_num: "0", detail: false })
        const response = await fetch(`${devnet.nodeUrl}/wallet/getblock`, { method: "POST", body })
        return response.json()
      })
      change("getblock", () => first)
      const error = yield* Effect.flip(liar.build(order))
      assert.match(error._tag === "ChainError" ? error.detail : error._tag, /behind/u)
    })
  )

  it.effect("counts nothing that waits for a block or stands in one that may be replaced, neither way", () =>
    Effect.gen(function* () {
      const { devnet } = yield* SendingDevnet
      const { account, contract, finalize, include, receiver, sender } = yield* SenderWorld
      const [from, to] = [yield* account, yield* receiver]
      const held = (address: string) => Effect.all([sender.balance(address, null), sender.balance(address, contract)])
      const wallet = (endpoint: string, body: Json) =>
        Effect.promise(async () => {
          const answer = await fetch(`${devnet.nodeUrl}/wallet/${endpoint}`, {
            method: "POST",
            body: JSON.stringify(body)
          })
          return (await answer.json()) as Json
        })
      const before = yield* held(from)
      for (const asset of [null, contract]) {
        const order = yield* anOrder({ from, to, contract: asset, units: 1_000_000n })
        yield* sender.broadcast((yield* signedOrder(order)).raw)
      }
      // The node itself answers as if all that waits were done: the receiver is active, and the sender has less.
      assert.strictEqual((yield* wallet("getaccount", { address: inHex(to) }))["balance"], 1_000_000)
      assert.deepStrictEqual(yield* held(from), before)
      assert.deepStrictEqual(yield* held(to), [0n, 0n])
      // A receiver who is active only by what waits costs what one costs who is not.
      const fee = Effect.map(sender.estimate({ from, to, contract: null, units: 1n }), (estimate) => estimate.fee ?? 0n)
      assert.isTrue((yield* fee) >= 1_000_000n)
      yield* include
      assert.deepStrictEqual(yield* held(from), before)
      assert.deepStrictEqual(yield* held(to), [0n, 0n])
      yield* finalize
      assert.deepStrictEqual(yield* held(to), [1_000_000n, 1_000_000n])
      assert.isTrue((yield* held(from)).every((units, index) => units < (before[index] ?? 0n)))
      assert.isTrue((yield* fee) < 1_000_000n)
    })
  )

  it.effect("does not call a token blocked of which a payment that waits has taken too much", () =>
    Effect.gen(function* () {
      const { account, contract, receiver, sender } = yield* SenderWorld
      const [from, to] = [yield* account, yield* receiver]
      const units = yield* sender.balance(from, contract)
      const all = yield* anOrder({ from, to, contract, units })
      yield* sender.broadcast((yield* signedOrder(all)).raw)
      const error = yield* refusal(sender.build({ ...all, salt: all.salt + 1 }))
      assert.strictEqual(error.reason, "insufficient_wallet")
    })
  )

  it.effect("concludes nothing from what a node says that would not take a transaction", () =>
    Effect.gen(function* () {
      const { devnet } = yield* SendingDevnet
      const { sender } = yield* SenderWorld
      const { raw } = yield* signedOrder(yield* anOrder())
      const said = {
        SERVER_BUSY: "busy",
        NOT_ENOUGH_EFFECTIVE_CONNECTION: "busy",
        TAPOS_ERROR: "busy",
        TRANSACTION_EXPIRATION_ERROR: "expired",
        BANDWITH_ERROR: "fee_too_low",
        CONTRACT_VALIDATE_ERROR: "invalid",
        SIGERROR: "invalid"
      }
      for (const [error_code, reason] of Object.entries(said)) {
        yield* devnet.faults.inject({ kind: "refuse", times: 1, method: "broadcasthex", error_code })
        const answer = yield* sender.broadcast(raw)
        assert.strictEqual(answer._tag === "Rejected" ? answer.reason : answer._tag, reason, error_code)
      }
      yield* devnet.faults.inject({ kind: "refuse", times: 1, method: "broadcasthex", error_code: "OTHER_ERROR" })
      assert.strictEqual((yield* sender.broadcast(raw))._tag, "Unknown")
      assert.strictEqual((yield* sender.broadcast(raw))._tag, "Accepted")
    })
  )

  it.effect("says why a payment is not proven: not final, failed, or with a memo that it does not have", () =>
    Effect.gen(function* () {
      const { contract, finalize, include, sender, setPaused } = yield* SenderWorld
      const order = yield* anOrder({ contract })
      const { to, units } = paymentOf(order)
      const signed = yield* sentOrder(order)
      const claimed = { txHash: signed.hash, contract, units, to, senders: [], memo: null }
      const answer = Effect.map(sender.prove(claimed), (proof) =>
        proof.verdict === "PROVEN" ? proof.verdict : `${proof.verdict}: ${proof.reason}`
      )
      assert.match(yield* answer, /^UNREADABLE: .*in no block yet/u)
      yield* include
      assert.match(yield* answer, /^NOT_FINAL: .*not final yet/u)
      yield* finalize
      assert.strictEqual(yield* answer, "PROVEN")
      const withMemo = yield* sender.prove({ ...claimed, memo: "12" })
      assert.strictEqual(withMemo.verdict, "NOT_PROVEN")
      const failing = yield* signedOrder(yield* anOrder({ contract }))
      yield* setPaused(true)
      yield* sender.broadcast(failing.raw)
      yield* include
      yield* finalize
      yield* setPaused(false)
      const failed = yield* sender.prove({ ...claimed, txHash: failing.hash })
      assert.match(failed.verdict === "NOT_PROVEN" ? failed.reason : failed.verdict, /failed/u)
    })
  )
})
