import type { Claimed, SendOrder } from "@bursar/core/port/ChainSender"
import { decode } from "@bursar/simulator-stellar/Submission"
import { muxed } from "@bursar/stellar"
import { SenderWorld } from "@bursar/testkit/suites/sender/SenderWorld"
import { anOrder, paymentOf, sentOrder, signedOrder } from "@bursar/testkit/suites/sender/steps"
import { assert, layer } from "@effect/vitest"
import { Asset, Keypair, Operation, TransactionBuilder, Transaction, xdr } from "@stellar/stellar-sdk/base"
import { Cause, Effect, Exit, Layer } from "effect"
import { funds, SendingDevnet, senderWorld } from "./support/SenderWorldLayer.ts"
import { leapOver, reasonOf, sequenceOf, strangersRecord, tampered } from "./support/lying.ts"
import { notFound } from "./support/tamper.ts"
import { type Json, recordsIn } from "./support/TamperingNode.ts"

const live = senderWorld.pipe(Layer.provideMerge(SendingDevnet.layer))

const refusal = (effect: ReturnType<SenderWorld["Service"]["sender"]["build"]>) =>
  Effect.map(Effect.flip(effect), (error) =>
    error._tag === "CannotBuild" ? error : assert.fail(`${error.doing}: ${error.detail}`)
  )

/** A ledger as the node writes it. */
const ledgerAt = Effect.fnUntraced(function* (sequence: number) {
  const { devnet } = yield* SendingDevnet
  return yield* Effect.promise(async () => {
    const response = await fetch(`${devnet.horizonUrl}/ledgers/${sequence}`)
    // Horizon answers objects of JSON.
    return (await response.json()) as Json
  })
})

const onePage = (record: Json) => ({ status: 200, body: { _embedded: { records: [record] } } })

/** An order that uses up the number of another account than the one that pays. */
const throughChannel = Effect.fnUntraced(function* (order: SendOrder) {
  const { account, take } = yield* SenderWorld
  const channel = yield* account
  return { ...order, guard: yield* take(channel) }
})

layer(live, { excludeTestServices: true })("StellarSender: proof of impossibility", (it) => {
  it.effect("rule 3: has not failed while no ledger has closed past the time until which it is valid", () =>
    Effect.gen(function* () {
      const { devnet } = yield* SendingDevnet
      const { sender } = yield* SenderWorld
      const order = yield* anOrder()
      const signed = yield* signedOrder(order)
      const last = Math.floor((signed.validUntil ?? 0) / 1_000)
      assert.strictEqual(devnet.faucet.chain.close(last).time, last)
      assert.strictEqual((yield* sender.status(order, [signed]))._tag, "Pending")
      devnet.faucet.chain.close(last + 1)
      const status = yield* sender.status(order, [signed])
      assert.strictEqual(status._tag === "Invalidated" ? status.reason : status._tag, "expired_unsent")
    })
  )

  it.effect("rule 3: a number leapt over is not proven by a history that begins after the transaction was signed", () =>
    Effect.gen(function* () {
      const { change, honest, liar } = yield* tampered
      const { devnet } = yield* SendingDevnet
      const { expire } = yield* SenderWorld
      const order = yield* anOrder()
      const signed = yield* signedOrder(order)
      yield* leapOver(order)
      yield* expire(signed)
      const young = yield* ledgerAt(devnet.faucet.chain.head().sequence)
      change(/^\/ledgers\?order=asc/u, () => onePage(young))
      const error = yield* Effect.flip(liar.status(order, [signed]))
      assert.match(error.detail, /history begins/u)
      honest()
      assert.strictEqual((yield* liar.status(order, [signed]))._tag, "Invalidated")
    })
  )

  it.effect("rule 8: an empty lookup is not believed where the account's history has the transaction", () =>
    Effect.gen(function* () {
      const { change, honest, liar } = yield* tampered
      const { expire, include } = yield* SenderWorld
      const order = yield* anOrder()
      const signed = yield* sentOrder(order)
      yield* include
      change(/^\/transactions\/[0-9a-f]+$/u, notFound)
      assert.match((yield* Effect.flip(liar.status(order, [signed]))).detail, /in history/u)
      yield* expire(signed)
      assert.match((yield* Effect.flip(liar.status(order, [signed]))).detail, /in history/u)
      honest()
      assert.strictEqual((yield* liar.status(order, [signed]))._tag, "Final")
    })
  )

  it.effect("rule 8: an empty history is not believed where the account has used up the number", () =>
    Effect.gen(function* () {
      const { change, liar } = yield* tampered
      const { expire, include } = yield* SenderWorld
      const order = yield* anOrder()
      const signed = yield* sentOrder(order)
      yield* include
      change(/^\/transactions\/[0-9a-f]+$/u, notFound)
      change(/^\/accounts\/G[A-Z2-7]+\/transactions/u, (answer) => ({
        ...answer,
        body: { _embedded: { records: [] } }
      }))
      assert.strictEqual((yield* liar.status(order, [signed]))._tag, "Pending")
      yield* expire(signed)
      assert.match((yield* Effect.flip(liar.status(order, [signed]))).detail, /contradict/u)
    })
  )

  it.effect("is not proven by an account that is read from an older ledger", () =>
    Effect.gen(function* () {
      const { change, honest, liar } = yield* tampered
      const { expire } = yield* SenderWorld
      const order = yield* anOrder()
      const signed = yield* signedOrder(order)
      yield* expire(signed)
      change(/^\/accounts\/G[A-Z2-7]+$/u, (answer) => ({
        ...answer,
        headers: { "Latest-Ledger": "2" }
      }))
      assert.match((yield* Effect.flip(liar.status(order, [signed]))).detail, /behind/u)
      honest()
      assert.strictEqual((yield* liar.status(order, [signed]))._tag, "Invalidated")
    })
  )

  it.effect("is not proven by an account of which the node does not say in which ledger it stands so", () =>
    Effect.gen(function* () {
      const { change, honest, liar } = yield* tampered
      const { expire } = yield* SenderWorld
      const order = yield* anOrder()
      const signed = yield* signedOrder(order)
      yield* expire(signed)
      change(/^\/accounts\/G[A-Z2-7]+$/u, ({ body, status }) => ({ body, status }))
      assert.match((yield* Effect.flip(liar.status(order, [signed]))).detail, /does not say of which ledger/u)
      honest()
      assert.strictEqual(reasonOf(yield* liar.status(order, [signed])), "expired_unsent")
    })
  )

  it.effect("is proven of a number that an operation in somebody else's transaction leapt over", () =>
    Effect.gen(function* () {
      const { expire, sender } = yield* SenderWorld
      const order = yield* throughChannel(yield* anOrder())
      const signed = yield* signedOrder(order)
      yield* leapOver(order)
      assert.strictEqual((yield* sender.status(order, [signed]))._tag, "Pending")
      yield* expire(signed)
      assert.strictEqual(reasonOf(yield* sender.status(order, [signed])), "expired_unsent")
    })
  )

  it.effect("is proven of a number that the account's own earlier transaction leapt over", () =>
    Effect.gen(function* () {
      const { keyOf, submit } = yield* SendingDevnet
      const { expire, include, sender } = yield* SenderWorld
      const first = yield* throughChannel(yield* anOrder())
      const { account, sequence } = sequenceOf(first)
      const order = { ...first, guard: { ...sequenceOf(first), sequence: sequence + 5n } }
      const signed = yield* signedOrder(order)
      yield* submit(account, keyOf(account), [Operation.bumpSequence({ bumpTo: String(sequence + 100n) })])
      yield* include
      yield* expire(signed)
      assert.strictEqual(reasonOf(yield* sender.status(order, [signed])), "expired_unsent")
    })
  )

  it.effect("is proven of an account that was merged away, and of one that was made anew since", () =>
    Effect.gen(function* () {
      const { devnet, keyOf, submit, usdc } = yield* SendingDevnet
      const { balance, contract, expire, include, sender } = yield* SenderWorld
      const order = yield* throughChannel(yield* anOrder())
      const { account: channel, sequence } = sequenceOf(order)
      // three transactions of its own pass until it is gone
      const late = { ...order, guard: { ...sequenceOf(order), sequence: sequence + 3n } }
      const signed = yield* signedOrder(late)
      const destination = usdc.getIssuer() ?? ""
      const amount = String((yield* balance(channel, contract)) / 10_000_000n)
      yield* submit(channel, keyOf(channel), [Operation.payment({ destination, asset: usdc, amount })])
      yield* include
      yield* submit(channel, keyOf(channel), [
        Operation.changeTrust({ asset: usdc, limit: "0" }),
        Operation.accountMerge({ destination })
      ])
      yield* include
      yield* expire(signed)
      assert.strictEqual(reasonOf(yield* sender.status(late, [signed])), "expired_unsent")
      yield* devnet.faucet.pay(channel, "native", 20_000_000n)
      yield* include
      assert.strictEqual(reasonOf(yield* sender.status(late, [signed])), "expired_unsent")
    })
  )

  it.effect("is not proven of a number leapt over by a history that does not show how", () =>
    Effect.gen(function* () {
      const { change, honest, liar } = yield* tampered
      const { expire } = yield* SenderWorld
      const order = yield* throughChannel(yield* anOrder())
      const signed = yield* signedOrder(order)
      yield* leapOver(order)
      yield* expire(signed)
      // the history of a node that is behind: the newest transaction is not there yet
      change(/^\/accounts\/G[A-Z2-7]+\/transactions/u, (answer) => ({
        ...answer,
        body: { _embedded: { records: recordsIn(answer.body).slice(1) } }
      }))
      assert.match((yield* Effect.flip(liar.status(order, [signed]))).detail, /contradict/u)
      honest()
      assert.strictEqual(reasonOf(yield* liar.status(order, [signed])), "expired_unsent")
    })
  )

  it.effect("is not proven by pages of history that two nodes have answered, one behind the other", () =>
    Effect.gen(function* () {
      const { change, honest, liar } = yield* tampered
      const { expire } = yield* SenderWorld
      const order = yield* throughChannel(yield* anOrder())
      const signed = yield* signedOrder(order)
      yield* leapOver(order)
      yield* expire(signed)
      const strange = yield* strangersRecord
      change(/^\/accounts\/G[A-Z2-7]+\/transactions/u, (answer, path) => {
        const isFirst = new URL(path, "http://node").searchParams.get("cursor") === null
        const dust = Array.from({ length: 200 }, (_, at) => ({
          ...strange,
          paging_token: String(10n ** 18n - BigInt(at))
        }))
        return isFirst ? { ...answer, body: { _embedded: { records: dust } } } : answer
      })
      assert.match((yield* Effect.flip(liar.status(order, [signed]))).detail, /do not join/u)
      honest()
      assert.strictEqual(reasonOf(yield* liar.status(order, [signed])), "expired_unsent")
    })
  )

  it.effect(
    "is proven for an account to which strangers have paid dust without end, by going on where reading ended",
    () =>
      Effect.gen(function* () {
        const { change, liar } = yield* tampered
        const { expire } = yield* SenderWorld
        const order = yield* anOrder()
        const signed = yield* signedOrder(order)
        const strange = yield* strangersRecord
        yield* leapOver(order)
        yield* expire(signed)
        // 12,000 transactions of a stranger above the account's own, and 100 more each time
        let above = 12_000
        let asked = 0
        change(/^\/accounts\/G[A-Z2-7]+\/transactions/u, (answer, path) => {
          asked += 1
          const cursor = new URL(path, "http://node").searchParams.get("cursor")
          const top = 10n ** 18n + BigInt(above)
          const from = cursor === null ? top : BigInt(cursor) - 1n
          const left = Number(from - 10n ** 18n)
          if (left <= 0) return answer
          const dust = Array.from({ length: Math.min(left, 200) }, (_, at) => ({
            ...strange,
            paging_token: String(from - BigInt(at))
          }))
          return {
            ...answer,
            status: 200,
            body: { _embedded: { records: dust.length < 200 ? [...dust, ...recordsIn(answer.body)] : dust } }
          }
        })
        assert.match((yield* Effect.flip(liar.status(order, [signed]))).detail, /too long/u)
        above += 100
        asked = 0
        const status = yield* liar.status(order, [signed])
        assert.strictEqual(status._tag === "Invalidated" ? status.reason : status._tag, "expired_unsent")
        assert.isBelow(asked, 15)
      })
  )

  it.effect("concludes nothing from another transaction whose envelope is not what the node says", () =>
    Effect.gen(function* () {
      const { change, honest, liar } = yield* tampered
      const { rival } = yield* SenderWorld
      const order = yield* anOrder()
      const signed = yield* signedOrder(order)
      const by = yield* rival(order)
      change(/^\/accounts\/G[A-Z2-7]+\/transactions/u, ({ body, ...answer }) => ({
        ...answer,
        body: { _embedded: { records: recordsIn(body).map((record) => ({ ...record, hash: "ab".repeat(32) })) } }
      }))
      assert.strictEqual((yield* Effect.flip(liar.status(order, [signed]))).reason, "inconsistent")
      honest()
      const status = yield* liar.status(order, [signed])
      assert.strictEqual(status._tag === "Invalidated" ? status.by : status._tag, by)
    })
  )

  it.effect("knows its transaction in one that somebody else pays for, and has paid nothing then", () =>
    Effect.gen(function* () {
      const { devnet, keyOf } = yield* SendingDevnet
      const { account, include, sender } = yield* SenderWorld
      const stranger = yield* account
      const order = yield* anOrder()
      const signed = yield* signedOrder(order)
      const inner = new Transaction(xdr.TransactionEnvelope.fromXdr(signed.raw), devnet.networkPassphrase)
      const outer = TransactionBuilder.buildFeeBumpTransaction(keyOf(stranger), "4000", inner, devnet.networkPassphrase)
      outer.sign(keyOf(stranger))
      const submission = decode(outer.toXdr(), devnet.networkPassphrase)
      if (submission === undefined) return assert.fail("unreadable")
      devnet.faucet.chain.submit(submission, devnet.faucet.chain.head().time)
      yield* include
      const status = yield* sender.status(order, [signed])
      if (status._tag !== "Final") return assert.fail(status._tag)
      assert.deepStrictEqual([status.hash, status.effect, status.fee], [signed.hash, "done", 0n])
      // it is proven by either hash, and which one was signed is said
      const bid = Buffer.from(outer.hash()).toString("hex")
      const { contract, to, units } = paymentOf(order)
      const claimed = { contract, memo: null, senders: [order.from], to, txHash: signed.hash, units }
      const byOwn = yield* sender.prove(claimed)
      const byBid = yield* sender.prove({ ...claimed, txHash: bid })
      assert.deepStrictEqual(
        [byOwn, byBid].map((proof) => proof.verdict === "PROVEN" && [proof.fee, proof.innerHash]),
        [
          [0n, undefined],
          [0n, signed.hash]
        ]
      )
    })
  )
})

layer(live, { excludeTestServices: true })("StellarSender: building and asking", (it) => {
  it.effect("lets a channel account give the number and the fee, and the payer the payment alone", () =>
    Effect.gen(function* () {
      const { balance, include, sender } = yield* SenderWorld
      const order = yield* throughChannel(yield* anOrder())
      if (order.guard._tag !== "Sequence") return assert.fail("stellar counts")
      const channel = order.guard.account
      const signed = yield* sentOrder(order)
      yield* include
      const status = yield* sender.status(order, [signed])
      assert.strictEqual(status._tag === "Final" ? status.effect : status._tag, "done")
      const { contract, to, units } = paymentOf(order)
      const claimed = { txHash: signed.hash, contract, units, to, senders: [order.from, channel], memo: null }
      const proof = yield* sender.prove(claimed)
      assert.strictEqual(proof.verdict === "PROVEN" && proof.fee, status._tag === "Final" && status.fee)
      assert.strictEqual(yield* balance(order.from, null), funds.stroops - 100n - paymentOf(order).units)
      assert.strictEqual(yield* balance(channel, null), funds.stroops - 200n)
      assert.strictEqual(yield* sender.firstSequence(channel), order.guard.sequence + 1n)
    })
  )

  it.effect("makes an account that does not exist, out of coin and from the least that it takes", () =>
    Effect.gen(function* () {
      const { contract, include, sender } = yield* SenderWorld
      const to = Keypair.random().publicKey()
      const few = yield* anOrder({ to, units: 9_999_999n })
      assert.strictEqual((yield* refusal(sender.build(few))).reason, "destination_invalid")
      const preflight = yield* sender.preflight(paymentOf(few))
      assert.deepInclude(preflight, { _tag: "Unpayable", code: "below_minimum", minimum: 10_000_000n })
      const dollars = yield* anOrder({ to, contract })
      assert.strictEqual((yield* refusal(sender.build(dollars))).reason, "destination_invalid")
      const order = yield* anOrder({ to, units: 10_000_000n })
      const signed = yield* sentOrder(order)
      yield* include
      const status = yield* sender.status(order, [signed])
      assert.strictEqual(status._tag === "Final" ? status.effect : status._tag, "done")
      assert.strictEqual(yield* sender.balance(to, null), 10_000_000n)
      const claimed = { txHash: signed.hash, contract: null, units: 10_000_000n, to, senders: [order.from], memo: null }
      assert.strictEqual((yield* sender.prove(claimed)).verdict, "PROVEN")
    })
  )

  it.effect("pays to a muxed address, and proves it for the address, or for its account with the number as memo", () =>
    Effect.gen(function* () {
      const { contract, include, receiver, sender } = yield* SenderWorld
      const account = yield* receiver
      const to = muxed(account, 77n)
      const order = yield* anOrder({ to, contract })
      const signed = yield* sentOrder(order)
      yield* include
      const status = yield* sender.status(order, [signed])
      assert.strictEqual(status._tag === "Final" ? status.effect : status._tag, "done")
      const claimed = { txHash: signed.hash, contract, units: paymentOf(order).units, to, senders: [], memo: null }
      const verdict = (changes: object) =>
        Effect.map(sender.prove({ ...claimed, ...changes }), (proof) => proof.verdict)
      assert.strictEqual(yield* verdict({}), "PROVEN")
      assert.strictEqual(yield* verdict({ to: account, memo: "77" }), "PROVEN")
      assert.strictEqual(yield* verdict({ to: account, memo: "id:77" }), "PROVEN")
      for (const memo of ["78", "id:78", "text:77"])
        assert.strictEqual(yield* verdict({ to: account, memo }), "NOT_PROVEN", memo)
      assert.strictEqual(yield* verdict({ to: muxed(account, 78n) }), "NOT_PROVEN")
      assert.strictEqual(yield* verdict({ to: account }), "NOT_PROVEN")
      const both = { ...paymentOf(order), memo: { type: "id", value: "77" } as const }
      const preflight = yield* sender.preflight(both)
      assert.strictEqual(preflight._tag === "Unpayable" ? preflight.code : preflight._tag, "memo_invalid")
    })
  )

  it.effect("neither proves nor refutes who paid for what was bought with another asset", () =>
    Effect.gen(function* () {
      const { account, contract, include, receiver, sender } = yield* SenderWorld
      const { keyOf, submit, usdc } = yield* SendingDevnet
      const [payer, to] = [yield* account, yield* receiver]
      const bought = (sendAsset: Asset, path: Array<Asset>) =>
        Operation.pathPaymentStrictReceive({
          sendAsset,
          path,
          sendMax: "9",
          destination: to,
          destAsset: usdc,
          destAmount: "4"
        })
      const verdict = Effect.fnUntraced(function* (
        sendAsset: Asset,
        senders: ReadonlyArray<string>,
        { path = [], ...more }: Partial<Pick<Claimed, "memo" | "units">> & { readonly path?: Array<Asset> } = {}
      ) {
        const txHash = yield* submit(payer, keyOf(payer), [bought(sendAsset, path)])
        yield* include
        const claimed = { txHash, contract, units: 4_0000000n, to, senders, memo: null, ...more }
        return (yield* sender.prove(claimed)).verdict
      })
      assert.strictEqual(yield* verdict(Asset.native(), [payer]), "UNREADABLE")
      assert.strictEqual(yield* verdict(Asset.native(), [payer], { units: 5_0000000n }), "NOT_PROVEN")
      assert.strictEqual(yield* verdict(Asset.native(), [payer], { memo: "42" }), "NOT_PROVEN")
      assert.strictEqual(yield* verdict(Asset.native(), []), "PROVEN")
      assert.strictEqual(yield* verdict(usdc, [payer]), "PROVEN")
      assert.strictEqual(yield* verdict(usdc, [to]), "NOT_PROVEN")
      // it may have sent another amount than arrives
      assert.strictEqual(yield* verdict(usdc, [payer], { path: [Asset.native()] }), "UNREADABLE")
    })
  )

  it.effect("rule 17: pays an account that demands a memo only with one, and proves the memo", () =>
    Effect.gen(function* () {
      const { keyOf, submit } = yield* SendingDevnet
      const { include, receiver, sender } = yield* SenderWorld
      const to = yield* receiver
      yield* submit(to, keyOf(to), [Operation.manageData({ name: "config.memo_required", value: "1" })])
      yield* include
      const bare = yield* anOrder({ to })
      const preflight = yield* sender.preflight(paymentOf(bare))
      assert.strictEqual(preflight._tag === "Unpayable" ? preflight.code : preflight._tag, "memo_required")
      assert.strictEqual((yield* refusal(sender.build(bare))).reason, "destination_invalid")
      const payment = { ...paymentOf(bare), memo: { type: "text", value: "zwölf" } as const }
      assert.strictEqual((yield* sender.preflight(payment))._tag, "Payable")
      const signed = yield* sentOrder({ ...bare, payments: [payment] })
      yield* include
      const claimed = { txHash: signed.hash, contract: null, units: payment.units, to, senders: [], memo: "zwölf" }
      assert.strictEqual((yield* sender.prove(claimed)).verdict, "PROVEN")
      assert.strictEqual((yield* sender.prove({ ...claimed, memo: "text:zwölf" })).verdict, "PROVEN")
      assert.strictEqual((yield* sender.prove({ ...claimed, memo: "zwölf " })).verdict, "NOT_PROVEN")
    })
  )

  it.effect("proves nothing by a memo that was not all text, whatever it reads as", () =>
    Effect.gen(function* () {
      const { include, receiver, sender } = yield* SenderWorld
      const to = yield* receiver
      const order = yield* anOrder({ to })
      const payment = { ...paymentOf(order), memo: { type: "text", value: "a\u0000b" } as const }
      const signed = yield* sentOrder({ ...order, payments: [payment] })
      yield* include
      const claimed = { txHash: signed.hash, contract: null, units: payment.units, to, senders: [] }
      for (const memo of ["a\u0000b", "a\uFFFDb", "a"])
        assert.strictEqual((yield* sender.prove({ ...claimed, memo })).verdict, "UNREADABLE", memo)
      assert.strictEqual((yield* sender.prove({ ...claimed, memo: null })).verdict, "PROVEN")
    })
  )

  it.effect("proves a memo of a type as a payout names it, and no text that only looks like it", () =>
    Effect.gen(function* () {
      const { include, receiver, sender } = yield* SenderWorld
      const to = yield* receiver
      const order = yield* anOrder({ to })
      const payment = { ...paymentOf(order), memo: { type: "id", value: "42" } as const }
      const signed = yield* sentOrder({ ...order, payments: [payment] })
      yield* include
      const claimed = { txHash: signed.hash, contract: null, units: payment.units, to, senders: [] }
      for (const memo of ["42", "id:42"])
        assert.strictEqual((yield* sender.prove({ ...claimed, memo })).verdict, "PROVEN", memo)
      for (const memo of ["text:42", "hash:42", "id:43", "id:"]) {
        const proof = yield* sender.prove({ ...claimed, memo })
        assert.deepStrictEqual(proof, { verdict: "NOT_PROVEN", reason: "The memo was another: id:42." }, memo)
      }
    })
  )

  it.effect("rule 17: tells memos that cannot be, and assets that a receiver cannot take", () =>
    Effect.gen(function* () {
      const { keyOf, submit, usdc } = yield* SendingDevnet
      const { contract, include, receiver, sender } = yield* SenderWorld
      const payment = paymentOf(yield* anOrder({ contract }))
      const code = (changes: object) =>
        Effect.map(sender.preflight({ ...payment, ...changes }), (said) =>
          said._tag === "Unpayable" ? said.code : said._tag
        )
      assert.strictEqual(yield* code({}), "Payable")
      assert.strictEqual(yield* code({ memo: { type: "text", value: "ö".repeat(14) } }), "Payable")
      assert.strictEqual(yield* code({ memo: { type: "text", value: `${"ö".repeat(14)}.` } }), "memo_invalid")
      assert.strictEqual(yield* code({ memo: { type: "id", value: "18446744073709551615" } }), "Payable")
      assert.strictEqual(yield* code({ memo: { type: "id", value: "18446744073709551616" } }), "memo_invalid")
      assert.strictEqual(yield* code({ memo: { type: "hash", value: "12" } }), "memo_invalid")
      const to = yield* receiver
      yield* submit(to, keyOf(to), [Operation.changeTrust({ asset: usdc, limit: "50.0000001" })])
      yield* include
      assert.strictEqual(yield* code({ to, units: 1n }), "Payable")
      assert.strictEqual(yield* code({ to, units: 2n }), "address_invalid")
      assert.strictEqual((yield* refusal(sender.build(yield* anOrder({ to, contract })))).reason, "destination_invalid")
    })
  )

  it.effect("does not say that a receiver is not there by a node that is behind, or does not say how far it is", () =>
    Effect.gen(function* () {
      const { change, honest, liar } = yield* tampered
      const { contract, receiver } = yield* SenderWorld
      const to = yield* receiver
      const payment = { ...paymentOf(yield* anOrder({ contract })), to }
      for (const headers of [{ "Latest-Ledger": "2" }, {}]) {
        change(new RegExp(`^/accounts/${to}$`, "u"), (answer, path) => ({ ...notFound(answer, path), headers }))
        assert.strictEqual((yield* Effect.flip(liar.preflight(payment))).reason, "inconsistent")
      }
      honest()
      assert.strictEqual((yield* liar.preflight(payment))._tag, "Payable")
    })
  )

  it.effect("leaves the reserve of an account where it is", () =>
    Effect.gen(function* () {
      const { account, receiver, sender } = yield* SenderWorld
      const from = yield* account
      const order = yield* anOrder({ from })
      const balance = yield* sender.balance(from, null)
      // Two for the account and one for its trustline.
      const spendable = balance - 15_000_000n - 200n
      const payment = { ...paymentOf(order), to: yield* receiver }
      const all = { ...order, payments: [{ ...payment, units: spendable }] }
      assert.strictEqual((yield* sender.build(all)).payments[0]?.units, spendable)
      const more = yield* refusal(sender.build({ ...order, payments: [{ ...payment, units: spendable + 1n }] }))
      assert.deepStrictEqual({ ...more.missing }, { contract: null, units: 1n })
      const drained = yield* sender.build({ ...order, payments: [{ ...payment, units: balance }], drain: true })
      assert.strictEqual(drained.payments[0]?.units, spendable)
    })
  )

  it.effect("promises of an account what can be built: neither its reserve, nor what it needs for the fee", () =>
    Effect.gen(function* () {
      const { account, balance, contract, receiver, sender } = yield* SenderWorld
      const address = yield* account
      const to = yield* receiver
      const own = (more: string) => ({ address: more, nextSequence: null, openTransactions: 0, committed: [] })
      const planned = (units: bigint, asset: string | null, channels: ReadonlyArray<string> = []) =>
        Effect.map(
          sender.planner.payouts({
            accounts: { wallet: own(address), channels: channels.map(own) },
            payments: [{ id: "p", to, contract: asset, units, alone: false }],
            underWayMax: 1,
            freeUtxos: Effect.succeed([])
          }),
          ({ transactions, waiting }) => [transactions.length, waiting.map(({ reason, retry }) => [reason, retry])]
        )
      const waits = [0, [["insufficient_wallet", "later"]]]
      // Two for the account and one for its trustline.
      const spendable = (yield* balance(address, null)) - 15_000_000n
      assert.deepStrictEqual(yield* planned(spendable - 200n, null), [1, []])
      assert.deepStrictEqual(yield* planned(spendable - 199n, null), waits)
      // whoever lends its number pays the fee
      const channel = yield* account
      assert.deepStrictEqual(yield* planned(spendable, null, [channel]), [1, []])
      assert.deepStrictEqual(yield* planned(spendable + 1n, null, [channel]), waits)
      const dollars = yield* balance(address, contract)
      assert.deepStrictEqual(yield* planned(dollars, contract), [1, []])
      assert.deepStrictEqual(yield* planned(dollars + 1n, contract), waits)
    })
  )

  it.effect("bids ten times as much for a replacement, up to the cap, and only for the same number", () =>
    Effect.gen(function* () {
      const { sender: senderOf } = yield* SendingDevnet
      const { sender } = yield* SenderWorld
      const order = yield* anOrder()
      const first = yield* signedOrder(order)
      assert.strictEqual((yield* sender.build({ ...order, replacing: first.raw })).feeMax, 2_000n)
      const capped = senderOf({ feeMax: 1_999n }).build({ ...order, replacing: first.raw })
      assert.strictEqual((yield* refusal(capped)).reason, "fee_capped")
      assert.strictEqual((yield* refusal(senderOf({ feeMax: 99n }).build(order))).reason, "fee_capped")
      const other = yield* anOrder({ from: order.from })
      const exit = yield* Effect.exit(sender.build({ ...other, replacing: first.raw }))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    })
  )

  it.effect("reads what the network says to a transaction that it does not take", () =>
    Effect.gen(function* () {
      const { account, expire, include, sender } = yield* SenderWorld
      const from = yield* account
      const said = (raw: Uint8Array) =>
        Effect.map(sender.broadcast(raw), (answer) => (answer._tag === "Rejected" ? answer.reason : answer._tag))
      const first = yield* anOrder({ from })
      const one = yield* signedOrder(first)
      const another = yield* signedOrder({ ...first, validUntil: first.validUntil + 60_000 })
      const next = yield* signedOrder(yield* anOrder({ from }))
      assert.strictEqual(yield* said(one.raw), "Accepted")
      assert.strictEqual(yield* said(one.raw), "Accepted", "again")
      assert.strictEqual(yield* said(next.raw), "busy", "one of an account waits at a time")
      assert.strictEqual(yield* said(another.raw), "fee_too_low", "no dearer than the one that waits")
      yield* include
      assert.strictEqual(yield* said(another.raw), "guard_used")
      yield* expire(next)
      assert.strictEqual(yield* said(next.raw), "expired")
    })
  )

  it.effect("says why a transaction is not known: it may be on its way, or the node's history is not whole", () =>
    Effect.gen(function* () {
      const { change, liar } = yield* tampered
      const { receiver, unknownHash } = yield* SenderWorld
      const claimed = { txHash: unknownHash, contract: null, units: 1n, to: yield* receiver, senders: [], memo: null }
      const answer = Effect.map(liar.prove(claimed), (proof) =>
        proof.verdict === "PROVEN" ? proof.verdict : `${proof.verdict}: ${proof.reason}`
      )
      assert.match(yield* answer, /^UNREADABLE: .*on its way/u)
      const third = yield* ledgerAt(3)
      change(/^\/ledgers\?order=asc/u, () => onePage(third))
      assert.match(yield* answer, /^UNREADABLE: .*no history/u)
    })
  )

  it.effect("builds nothing on fees that cannot be read, or on a node whose newest ledger is old", () =>
    Effect.gen(function* () {
      const { change, honest, horizonUrl, liar } = yield* tampered
      const { sender: senderOf } = yield* SendingDevnet
      const order = yield* anOrder()
      change(/^\/fee_stats/u, (answer) => ({ ...answer, body: {} }))
      assert.strictEqual((yield* Effect.flip(liar.build(order)))._tag, "ChainError")
      honest()
      const first = yield* ledgerAt(1)
      change(/^\/ledgers\?order=desc/u, () => onePage(first))
      // The network began longer ago than that.
      const error = yield* Effect.flip(senderOf({ horizonUrl, lagMsMax: 1 }).build(order))
      assert.match(error._tag === "ChainError" ? error.detail : error._tag, /behind/u)
    })
  )
})
