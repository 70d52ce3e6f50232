import type { Memo } from "@bursar/core/port/Chain"
import { muxed, stellarCodec } from "@bursar/stellar"
import { assert, describe, it } from "@effect/vitest"
import {
  Account,
  Asset,
  Keypair,
  LiquidityPoolAsset,
  Memo as SdkMemo,
  MuxedAccount,
  Operation,
  Transaction,
  TransactionBuilder,
  xdr
} from "@stellar/stellar-sdk/base"
import { Result } from "effect"
import {
  decodePayment,
  decodeSigned,
  encodePayment,
  hashOf,
  type StellarPayment
} from "../src/internal/build/StellarPayment.ts"

const passphrase = "Test SDF Network ; September 2015"
const issuer = "GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN"
const usdc = `USDC:${issuer}`
const format = stellarCodec({ networkPassphrase: passphrase, assets: [usdc] })

const keyOf = (byte: number) => Keypair.fromRawEd25519Seed(new Uint8Array(32).fill(byte))
const payer = keyOf(1)
const channel = keyOf(2)
const receiver = keyOf(3).publicKey()

const stellarPayment: StellarPayment = {
  source: payer.publicKey(),
  sequence: 4_294_967_297n,
  fee: 200n,
  minTime: 1_790_000_000,
  maxTime: 1_790_000_300,
  memo: null,
  action: { _tag: "Pay", from: payer.publicKey(), to: receiver, contract: null, units: 12_345_678n }
}

const encoded = (changes: Partial<StellarPayment> = {}) => encodePayment({ ...stellarPayment, ...changes }, passphrase)

/** A source that counts from the same number for each transaction. */
const accountAt = () => new Account(payer.publicKey(), "4294967296")

const sdk = (change: (builder: TransactionBuilder) => void, source: Account | MuxedAccount = accountAt()) => {
  const builder = new TransactionBuilder(source, {
    fee: "200",
    networkPassphrase: passphrase,
    timebounds: { minTime: stellarPayment.minTime, maxTime: stellarPayment.maxTime }
  })
  change(builder)
  return builder.build().toEnvelope().toXdr()
}

const pay = (destination = receiver) => Operation.payment({ destination, asset: Asset.native(), amount: "1.2345678" })

const sign = (bytes: Uint8Array, key: Keypair) => {
  const { digests } = Result.getOrThrow(format.read(bytes))
  return { publicKey: key.rawPublicKey(), bytes: key.sign(digests[0]!.digest), recovery: null }
}

const refused = (bytes: Uint8Array): string => Result.getOrThrow(Result.flip(format.read(bytes)))

describe("stellarCodec", () => {
  it("writes and reads payments of coin and of dollars, new accounts, and transactions that do nothing", () => {
    const { from, ...rest } = { from: payer.publicKey(), to: receiver, units: 12_345_678n }
    const actions: ReadonlyArray<Exclude<StellarPayment["action"], { readonly _tag: "Trust" }>> = [
      { _tag: "Pay", from, ...rest, contract: null },
      { _tag: "Pay", from, ...rest, contract: usdc },
      { _tag: "Pay", from, ...rest, to: muxed(receiver, 18_446_744_073_709_551_615n), contract: usdc },
      { _tag: "Pay", from, ...rest, units: 9_223_372_036_854_775_807n, contract: null },
      { _tag: "Create", from, ...rest },
      { _tag: "Nothing" }
    ]
    for (const action of actions) {
      const bytes = encoded({ action })
      assert.deepStrictEqual(Result.getOrThrow(decodePayment(bytes, passphrase)).stellarPayment, {
        ...stellarPayment,
        action
      })
      const { digests, feeMax, payments } = Result.getOrThrow(format.read(bytes))
      assert.strictEqual(feeMax, 200n)
      assert.deepStrictEqual(
        payments,
        action._tag === "Nothing"
          ? []
          : [
              {
                to: action.to,
                contract: action._tag === "Pay" ? action.contract : null,
                units: action.units,
                memo: null
              }
            ]
      )
      assert.deepStrictEqual(
        digests.map(({ address }) => address),
        [payer.publicKey()]
      )
    }
  })

  it("writes and reads agreements to hold assets: what is agreed to, by whom, and that nothing is paid", () => {
    const from = payer.publicKey()
    const euro = `EURC:${issuer}`
    const wider = stellarCodec({ networkPassphrase: passphrase, assets: [usdc, euro] })
    for (const [source, contracts] of [
      [from, [usdc]],
      [channel.publicKey(), [usdc, euro]]
    ] as const) {
      const fee = 200n * BigInt(contracts.length)
      const action: StellarPayment["action"] = { _tag: "Trust", from, contracts }
      const bytes = encoded({ source, fee, action })
      assert.deepStrictEqual(Result.getOrThrow(decodePayment(bytes, passphrase)).stellarPayment, {
        ...stellarPayment,
        source,
        fee,
        action
      })
      const { operations } = new Transaction(xdr.TransactionEnvelope.fromXdr(bytes), passphrase)
      assert.deepStrictEqual(
        operations.map((one) => (one.type === "changeTrust" ? [one.limit, one.source ?? source] : one.type)),
        contracts.map(() => ["922337203685.4775807", from])
      )
      const { trustlines, digests, feeMax, payments } = Result.getOrThrow(wider.read(bytes))
      assert.deepStrictEqual(payments, [])
      assert.strictEqual(feeMax, fee)
      assert.deepStrictEqual(
        trustlines,
        contracts.map((contract) => ({ account: from, contract }))
      )
      assert.deepStrictEqual(
        digests.map(({ address }) => address),
        source === from ? [from] : [source, from]
      )
    }
  })

  it("refuses agreements with a limit, to a strange asset, twice to one, of two accounts, beside something else, or with a memo", () => {
    const [code = "", by = ""] = usdc.split(":")
    const asset = new Asset(code, by)
    const agree = Operation.changeTrust({ asset })
    const pool = new LiquidityPoolAsset(Asset.native(), asset, 30)
    const other = Operation.changeTrust({ asset: new Asset("EURC", by), source: channel.publicKey() })
    const refusals: ReadonlyArray<readonly [string, Uint8Array]> = [
      ["a limit", sdk((builder) => builder.addOperation(Operation.changeTrust({ asset, limit: "5" })))],
      ["an end", sdk((builder) => builder.addOperation(Operation.changeTrust({ asset, limit: "0" })))],
      ["a pool", sdk((builder) => builder.addOperation(Operation.changeTrust({ asset: pool })))],
      ["twice", sdk((builder) => builder.addOperation(agree).addOperation(agree))],
      ["two accounts", sdk((builder) => builder.addOperation(agree).addOperation(other))],
      ["a payment beside it", sdk((builder) => builder.addOperation(agree).addOperation(pay()))],
      ["it beside a payment", sdk((builder) => builder.addOperation(pay()).addOperation(agree))],
      ["a memo", sdk((builder) => builder.addOperation(agree).addMemo(SdkMemo.text("why")))],
      ["a strange asset", encoded({ action: { _tag: "Trust", from: payer.publicKey(), contracts: [`ABC:${by}`] } })]
    ]
    const wider = stellarCodec({ networkPassphrase: passphrase, assets: [usdc, `EURC:${by}`] })
    assert.isTrue(Result.isSuccess(wider.read(sdk((builder) => builder.addOperation(agree)))), "the plain one")
    for (const [what, bytes] of refusals) {
      assert.isTrue(Result.isFailure(wider.read(bytes)), what)
      assert.isTrue(Result.isFailure(wider.finish(bytes, [sign(encoded(), payer)])), what)
    }
  })

  it("writes and reads every kind of memo, whose type is part of it", () => {
    const memos: ReadonlyArray<Memo> = [
      { type: "text", value: "1" },
      { type: "text", value: "zwölf Öre ✓" },
      { type: "text", value: "\uFEFFinvoice 7" },
      { type: "id", value: "1" },
      { type: "id", value: "18446744073709551615" },
      { type: "hash", value: "ab".repeat(32) },
      { type: "return", value: "cd".repeat(32) }
    ]
    for (const memo of memos) {
      const { payments } = Result.getOrThrow(format.read(encoded({ memo })))
      assert.deepStrictEqual(payments[0]?.memo, memo)
    }
    assert.strictEqual(new Set(memos.map((memo) => encoded({ memo }).join())).size, memos.length)
  })

  it("has two signers where another account's sequence number is used up, in that order", () => {
    const bytes = encoded({ source: channel.publicKey() })
    const { digests } = Result.getOrThrow(format.read(bytes))
    assert.deepStrictEqual(
      digests.map(({ address }) => address),
      [channel.publicKey(), payer.publicKey()]
    )
    const signatures = [sign(bytes, channel), sign(bytes, payer)]
    const { hash, raw } = Result.getOrThrow(format.finish(bytes, signatures))
    const read = new Transaction(xdr.TransactionEnvelope.fromXdr(raw), passphrase)
    assert.strictEqual(Buffer.from(read.hash()).toString("hex"), hash)
    assert.lengthOf(read.signatures, 2)
    assert.strictEqual(hashOf(Result.getOrThrow(decodeSigned(raw, passphrase))), hash)
    assert.isTrue(Result.isFailure(format.finish(bytes, signatures.toReversed())), "in the other order")
    assert.isTrue(Result.isFailure(format.finish(bytes, signatures.slice(0, 1))), "only one of them")
  })

  it("signs for one network alone", () => {
    const bytes = encoded()
    const elsewhere = stellarCodec({
      networkPassphrase: "Public Global Stellar Network ; September 2015",
      assets: [usdc]
    })
    assert.isTrue(Result.isFailure(elsewhere.finish(bytes, [sign(bytes, payer)])))
    assert.notDeepEqual(
      Result.getOrThrow(elsewhere.read(bytes)).digests[0]?.digest,
      Result.getOrThrow(format.read(bytes)).digests[0]?.digest
    )
  })

  it("refuses what it does not fully understand", () => {
    assert.isTrue(Result.isSuccess(format.read(sdk((builder) => builder.addOperation(pay())))), "the plain one")
    const odd: Readonly<Record<string, Uint8Array>> = {
      "no operation": sdk(() => undefined),
      "two operations": sdk((builder) => builder.addOperation(pay()).addOperation(pay())),
      "another kind": sdk((builder) => builder.addOperation(Operation.accountMerge({ destination: receiver }))),
      "a new signer": sdk((builder) => builder.addOperation(Operation.setOptions({ masterWeight: 0 }))),
      "a bump that is felt": sdk((builder) => builder.addOperation(Operation.bumpSequence({ bumpTo: "9" }))),
      "a bump of another": sdk((builder) =>
        builder.addOperation(Operation.bumpSequence({ bumpTo: "0", source: receiver }))
      ),
      "ledger bounds": sdk((builder) => builder.addOperation(pay()).setLedgerbounds(1, 2)),
      "a least number": sdk((builder) => builder.addOperation(pay()).setMinAccountSequence("1")),
      "a least age": sdk((builder) => builder.addOperation(pay()).setMinAccountSequenceAge(60n)),
      "a further signer": sdk((builder) => builder.addOperation(pay()).setExtraSigners([receiver])),
      "a text that is none": sdk((builder) =>
        builder.addOperation(pay()).addMemo(SdkMemo.text(Uint8Array.of(0xff, 0xfe)))
      ),
      "a muxed source": sdk((builder) => builder.addOperation(pay()), new MuxedAccount(accountAt(), "5")),
      "a muxed payer": sdk((builder) =>
        builder.addOperation(
          Operation.payment({
            destination: receiver,
            asset: Asset.native(),
            amount: "1",
            source: muxed(channel.publicKey(), 5n)
          })
        )
      ),
      "a path payment": sdk((builder) =>
        builder.addOperation(
          Operation.pathPaymentStrictSend({
            sendAsset: Asset.native(),
            sendAmount: "1",
            destination: receiver,
            destAsset: Asset.native(),
            destMin: "1"
          })
        )
      )
    }
    for (const [what, bytes] of Object.entries(odd)) assert.isTrue(Result.isFailure(format.read(bytes)), what)
    assert.match(refused(encoded({ maxTime: 0 })), /never expires/u)
    assert.match(
      refused(encoded({ action: { _tag: "Create", from: payer.publicKey(), to: receiver, units: 0n } })),
      /nothing/u
    )
    const other = {
      _tag: "Pay",
      from: payer.publicKey(),
      to: receiver,
      contract: `USDC:${receiver}`,
      units: 1n
    } as const
    assert.match(refused(encoded({ action: other })), /no asset known/u)
  })

  it("refuses what is signed already, and what pays for another's", () => {
    const bytes = encoded()
    const { raw } = Result.getOrThrow(format.finish(bytes, [sign(bytes, payer)]))
    assert.isTrue(Result.isFailure(format.read(raw)))
    const { payments } = Result.getOrThrow(format.read(bytes))
    assert.deepInclude(Result.getOrThrow(format.readSigned(raw)), { payments })
    const inner = new Transaction(xdr.TransactionEnvelope.fromXdr(raw), passphrase)
    const bump = TransactionBuilder.buildFeeBumpTransaction(channel, "1000", inner, passphrase)
    assert.isTrue(Result.isFailure(format.read(bump.toEnvelope().toXdr())))
  })
})
