import { anOrder, signedOrder } from "@bursar/testkit/suites/sender/steps"
import { SenderWorld } from "@bursar/testkit/suites/sender/SenderWorld"
import { assert, layer } from "@effect/vitest"
import { Account, Asset, hash as sha256, Keypair, Operation, TransactionBuilder, xdr } from "@stellar/stellar-sdk/base"
import { Effect, Layer } from "effect"
import { leapOver, reasonOf, strangersRecord, tampered } from "./support/lying.ts"
import { SendingDevnet, senderWorld } from "./support/SenderWorldLayer.ts"
import { recordsIn } from "./support/TamperingNode.ts"

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

layer(live, { excludeTestServices: true })(
  "StellarSender: what strangers write into the history of an account",
  (it) => {
    it.effect("holds no expired payout by a transaction that the network takes and the SDK does not", () =>
      Effect.gen(function* () {
        const { change, liar } = yield* tampered
        const { devnet } = yield* SendingDevnet
        const { expire } = yield* SenderWorld
        const order = yield* anOrder()
        const signed = yield* signedOrder(order)
        const strange = yield* strangersRecord
        // so that the history is needed
        yield* leapOver(order)
        yield* expire(signed)
        const { envelope_xdr, hash } = unknownToTheSdk(order.from, devnet.networkPassphrase)
        assert.throws(() => TransactionBuilder.fromXdr(envelope_xdr, devnet.networkPassphrase), /order/u)
        change(/^\/accounts\/G[A-Z2-7]+\/transactions/u, (answer) => {
          const failed = { ...strange, hash, envelope_xdr, successful: false, paging_token: String(10n ** 18n) }
          return { ...answer, body: { _embedded: { records: [failed, ...recordsIn(answer.body)] } } }
        })
        assert.strictEqual(reasonOf(yield* liar.status(order, [signed])), "expired_unsent")
      })
    )
  }
)
