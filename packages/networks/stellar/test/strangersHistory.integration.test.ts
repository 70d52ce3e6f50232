import { anOrder, signedOrder } from "@bursar/testkit/suites/sender/steps"
import { SenderWorld } from "@bursar/testkit/suites/sender/SenderWorld"
import { assert, layer } from "@effect/vitest"
import { Account, Asset, hash as sha256, Keypair, Operation, TransactionBuilder, xdr } from "@stellar/stellar-sdk/base"
import { Effect, Layer } from "effect"
import { leapOver, reasonOf, strangersRecord, tampered } from "./support/lying.ts"
import { SendingDevnet, senderWorld } from "./support/SenderWorldLayer.ts"
import type { Answered, Instead } from "./support/tamper.ts"
import { type Json, recordsIn } from "./support/TamperingNode.ts"

const live = senderWorld.pipe(Layer.provideMerge(SendingDevnet.layer))

/** Issuers of which the first has the lower key, as the network orders them, and the higher text, as the SDK does. */
const issuers = (): readonly [Keypair, Keypair] => {
  for (;;) {
    const [one, other] = [Keypair.random(), Keypair.random()]
    const isLower = Buffer.compare(one.rawPublicKey(), other.rawPublicKey()) < 0
    if (isLower && one.publicKey() > other.publicKey()) return [one, other]
  }
}

/** The asset of a code and issuer as it is signed. */
const usd = (issuer: Keypair) => new Asset("USD", issuer.publicKey()).toXdrObject()

/** A transaction that the network takes and the SDK does not: a stroop to an account, and consent to hold shares of a pool. */
const unknownToTheSdk = (to: string, networkPassphrase: string) => {
  const [one, other] = issuers()
  const params = new xdr.LiquidityPoolConstantProductParameters({ assetA: usd(one), assetB: usd(other), fee: 30 })
  const line = xdr.ChangeTrustAsset.assetTypePoolShare(xdr.LiquidityPoolParameters.liquidityPoolConstantProduct(params))
  const trust = new xdr.Operation({
    sourceAccount: null,
    body: xdr.OperationBody.changeTrust(new xdr.ChangeTrustOp({ line, limit: 1n }))
  })
  const plain = new TransactionBuilder(new Account(Keypair.random().publicKey(), "1"), {
    fee: "200",
    networkPassphrase
  })
    .addOperation(Operation.payment({ destination: to, asset: Asset.native(), amount: "0.0000001" }))
    .setTimeout(0)
    .build()
    .toEnvelope()
  if (plain.type !== "envelopeTypeTx") return assert.fail(plain.type)
  const { cond, ext, fee, memo, operations, seqNum, sourceAccount } = plain.v1.tx
  const tx = new xdr.Transaction({ sourceAccount, fee, seqNum, cond, memo, operations: [...operations, trust], ext })
  const envelope = xdr.TransactionEnvelope.envelopeTypeTx(new xdr.TransactionV1Envelope({ tx, signatures: [] }))
  const networkId = sha256(Buffer.from(networkPassphrase))
  return {
    envelope_xdr: envelope.toXdr("base64"),
    hash: Buffer.from(sha256(Buffer.concat([networkId, Uint8Array.of(0, 0, 0, 2), tx.toXdr()]))).toString("hex")
  }
}

/** What a node was asked of the history of an account. */
interface Asked {
  readonly cursor: string | null
  readonly limit: number
}

/** Puts so many transactions of a stranger above what an account's history has, and tells what was asked. */
const dustAbove = (count: number, strange: Json, instead: (asked: Asked) => Answered | undefined = () => undefined) => {
  const asked: Array<Asked> = []
  const bottom = 10n ** 18n
  const dusty: Instead = (answer, path) => {
    const query = new URL(path, "http://node").searchParams
    const [cursor, limit] = [query.get("cursor"), Number(query.get("limit"))]
    asked.push({ cursor, limit })
    const other = instead({ cursor, limit })
    if (other !== undefined) return other
    const from = cursor === null ? bottom + BigInt(count) : BigInt(cursor) - 1n
    const length = Math.min(Number(from - bottom), limit)
    if (length <= 0) return answer
    const dust = Array.from({ length }, (_, at) => ({ ...strange, paging_token: String(from - BigInt(at)) }))
    const rest = recordsIn(answer.body).slice(0, limit - length)
    return { ...answer, status: 200, body: { _embedded: { records: [...dust, ...rest] } } }
  }
  return { asked, dusty }
}

/** An order whose payout has expired, and whose number somebody has leapt over: the account's history has to show it. */
const leaptOver = Effect.gen(function* () {
  const { change, liar } = yield* tampered
  const { expire } = yield* SenderWorld
  const order = yield* anOrder()
  const signed = yield* signedOrder(order)
  const strange = yield* strangersRecord
  yield* leapOver(order)
  yield* expire(signed)
  return { change, order, strange, status: liar.status(order, [signed]) }
})

const historyOf = /^\/accounts\/G[A-Z2-7]+\/transactions/u

layer(live, { excludeTestServices: true })(
  "StellarSender: what strangers write into the history of an account",
  (it) => {
    it.effect("holds no expired payout by a transaction that the network takes and the SDK does not", () =>
      Effect.gen(function* () {
        const { change, order, status, strange } = yield* leaptOver
        const { devnet } = yield* SendingDevnet
        const { envelope_xdr, hash } = unknownToTheSdk(order.from, devnet.networkPassphrase)
        assert.throws(() => TransactionBuilder.fromXdr(envelope_xdr, devnet.networkPassphrase), /order/u)
        change(historyOf, (answer) => {
          const failed = { ...strange, hash, envelope_xdr, successful: false, paging_token: String(10n ** 18n) }
          return { ...answer, body: { _embedded: { records: [failed, ...recordsIn(answer.body)] } } }
        })
        assert.strictEqual(reasonOf(yield* status), "expired_unsent")
      })
    )

    it.effect("holds no expired payout by transactions so long that a page of them is too large", () =>
      Effect.gen(function* () {
        const { change, status, strange } = yield* leaptOver
        const { asked, dusty } = dustAbove(120, { ...strange, result_meta_xdr: "A".repeat(200_000) })
        change(historyOf, dusty)
        assert.strictEqual(reasonOf(yield* status), "expired_unsent")
        assert.deepStrictEqual(
          asked.map(({ limit }) => limit),
          [200, 100, 50, 50, 50]
        )
      })
    )

    it.effect("says so where not even two of its transactions can be read at once", () =>
      Effect.gen(function* () {
        const { change, status, strange } = yield* leaptOver
        const { dusty } = dustAbove(2, { ...strange, result_meta_xdr: "A".repeat(9_000_000) })
        change(historyOf, dusty)
        assert.match((yield* Effect.flip(status)).detail, /too large to be read/u)
      })
    )

    it.effect("goes on where it has read to, though a page further down could not be read", () =>
      Effect.gen(function* () {
        const { change, status, strange } = yield* leaptOver
        let isAway = true
        const { asked, dusty } = dustAbove(1_000, strange, ({ cursor }) =>
          isAway && cursor !== null && BigInt(cursor) < 10n ** 18n + 500n ? { status: 500, body: {} } : undefined
        )
        change(historyOf, dusty)
        assert.strictEqual((yield* Effect.flip(status)).reason, "unreachable")
        const last = asked.at(-1)
        asked.length = 0
        isAway = false
        assert.strictEqual(reasonOf(yield* status), "expired_unsent")
        assert.deepStrictEqual(asked.slice(0, 2), [{ cursor: null, limit: 200 }, last])
      })
    )

    it.effect("is not asked for where the account's number is below that of the payout", () =>
      Effect.gen(function* () {
        const { change, liar } = yield* tampered
        const { expire } = yield* SenderWorld
        const order = yield* anOrder()
        const signed = yield* signedOrder(order)
        yield* expire(signed)
        change(historyOf, () => ({ status: 500, body: {} }))
        assert.strictEqual(reasonOf(yield* liar.status(order, [signed])), "expired_unsent")
      })
    )
  }
)
