import { assert, describe, it } from "@effect/vitest"
import { crypto, Psbt, Transaction } from "bitcoinjs-lib"
import { Result } from "effect"
import { sign } from "tiny-secp256k1"
import { bitcoinCodec } from "@bursar/bitcoin"
import { keyOf, signWith, type TestKey } from "./support/Keys.ts"

const format = bitcoinCodec({ chain: "regtest" })

const alice = keyOf("alice")
const bob = keyOf("bob")
const payee = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"
const payeeScript = Uint8Array.from(Buffer.from("0014751e76e8199196d454941c45d1b3a323f1433bd6", "hex"))

const hashOf = ({ publicKey }: TestKey) => crypto.hash160(publicKey)
const programOf = (key: TestKey) => Uint8Array.of(0x00, 0x14, ...hashOf(key))
const nestedOf = (key: TestKey) => Uint8Array.of(0xa9, 0x14, ...crypto.hash160(programOf(key)), 0x87)
const legacyOf = (key: TestKey) => Uint8Array.of(0x76, 0xa9, 0x14, ...hashOf(key), 0x88, 0xac)

/** A transaction that paid a script, with no witness. */
const previous = (script: Uint8Array, value: bigint): Transaction => {
  const transaction = new Transaction()
  transaction.addInput(new Uint8Array(32).fill(7), 0)
  transaction.addOutput(script, value)
  return transaction
}

const sequence = 0xffff_fffd
const units = 100_000n
const utxo = (serial: number) => ({ hash: serial.toString(16).padStart(64, "0"), index: 1, sequence })

/** A PSBT that is as the sender makes it, but for a change. */
const psbtOf = (change: (psbt: Psbt) => void = () => {}, paid = 95_000n): Uint8Array => {
  const psbt = new Psbt()
  psbt.setVersion(2)
  psbt.addInput({ ...utxo(1), witnessUtxo: { script: programOf(alice), value: units } })
  psbt.addOutput({ script: payeeScript, value: paid })
  change(psbt)
  return psbt.toBuffer()
}

/** One that spends a coin of each kind, of two signers. */
const mixed = (): Psbt => {
  const made = previous(legacyOf(bob), units)
  const psbt = new Psbt()
  psbt.setVersion(2)
  psbt.addInput({ ...utxo(1), witnessUtxo: { script: programOf(alice), value: units } })
  psbt.addInput({ ...utxo(2), witnessUtxo: { script: nestedOf(bob), value: units }, redeemScript: programOf(bob) })
  psbt.addInput({ hash: made.getId(), index: 0, sequence, nonWitnessUtxo: made.toBuffer() })
  psbt.addOutput({ script: payeeScript, value: 250_000n })
  psbt.addOutput({ script: programOf(alice), value: 49_000n })
  return psbt
}

const refusal = (bytes: Uint8Array): string =>
  Result.match(format.read(bytes), { onSuccess: () => "", onFailure: (words) => words })

describe("bitcoinCodec", () => {
  it("reads who is paid, what it costs, and whose keys must sign", () => {
    const content = Result.getOrThrow(format.read(mixed().toBuffer()))
    assert.deepStrictEqual(content.payments, [
      { to: payee, contract: null, units: 250_000n, memo: null },
      { to: alice.p2wpkh, contract: null, units: 49_000n, memo: null }
    ])
    assert.strictEqual(content.feeMax, 1_000n)
    assert.deepStrictEqual(
      content.digests.map(({ address }) => address),
      [alice.p2wpkh, bob.p2sh, bob.p2pkh]
    )
  })

  it("finishes to the transaction that another implementation makes of the same PSBT and keys", () => {
    const psbt = mixed()
    const bytes = psbt.toBuffer()
    for (const [index, { publicKey, secret }] of [alice, bob, bob].entries()) {
      psbt.signInput(index, { publicKey, sign: (digest) => sign(digest, secret) })
    }
    const expected = psbt.finalizeAllInputs().extractTransaction()
    const { digests } = Result.getOrThrow(format.read(bytes))
    const keys = [alice, bob, bob]
    const signatures = digests.map(({ digest }, index) => signWith(keys[index] ?? alice, digest))
    const { hash, raw } = Result.getOrThrow(format.finish(bytes, signatures))
    assert.strictEqual(Buffer.from(raw).toString("hex"), expected.toHex())
    assert.strictEqual(hash, expected.getId())
    const { payments } = Result.getOrThrow(format.read(bytes))
    assert.deepStrictEqual(Result.getOrThrow(format.readSigned(raw)), { payments })
    assert.isTrue(Result.isFailure(format.readSigned(bytes)))
  })

  it("refuses signatures in another order, by another key of the same signer, and of the higher S", () => {
    const bytes = mixed().toBuffer()
    const { digests } = Result.getOrThrow(format.read(bytes))
    const keys = [alice, bob, bob]
    const good = digests.map(({ digest }, index) => signWith(keys[index] ?? alice, digest))
    assert.isTrue(Result.isSuccess(format.finish(bytes, good)))
    assert.isTrue(Result.isFailure(format.finish(bytes, good.toReversed())))
    const n = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const high = good.map((signature) => {
      const s = n - BigInt(`0x${Buffer.from(signature.bytes.subarray(32)).toString("hex")}`)
      const tail = Buffer.from(s.toString(16).padStart(64, "0"), "hex")
      return { ...signature, bytes: Uint8Array.of(...signature.bytes.subarray(0, 32), ...tail) }
    })
    assert.isTrue(Result.isFailure(format.finish(bytes, high)))
    const unlike = good.map((signature) => ({ ...signature, publicKey: new Uint8Array(33).fill(2) }))
    assert.isTrue(Result.isFailure(format.finish(bytes, unlike)))
  })

  const taproot = Uint8Array.of(0x51, 0x20, ...alice.publicKey.subarray(1))
  const unknownKey = { key: Uint8Array.of(0xf0), value: Uint8Array.of(1) }
  const withPrevious = (made: Transaction, hash = made.getId()) => {
    const psbt = new Psbt()
    psbt.setVersion(2)
    psbt.addInput({ hash, index: 0, sequence })
    psbt.addOutput({ script: payeeScript, value: 95_000n })
    // The library checks what it is given; this is what another could write.
    const [input] = psbt.data.inputs
    if (input !== undefined) input.nonWitnessUtxo = made.toBuffer()
    return psbt.toBuffer()
  }
  const withWitness = () => {
    const made = previous(legacyOf(bob), units)
    made.setWitness(0, [Uint8Array.of(1)])
    return made
  }

  it.each<readonly [string, Uint8Array, RegExp]>([
    [
      "an output that pays no address",
      psbtOf((psbt) => psbt.addOutput({ script: Uint8Array.of(0x6a), value: 0n })),
      /no address/
    ],
    ["dust", psbtOf((psbt) => psbt.addOutput({ script: payeeScript, value: 293n })), /dust/],
    ["more than is spent", psbtOf(undefined, units + 1n), /more than it spends/],
    ["a fee beyond the cap", psbtOf(undefined, units - 85_000n), /cap/],
    ["another version", psbtOf((psbt) => psbt.setVersion(1)), /version/],
    ["a lock time", psbtOf((psbt) => psbt.setLocktime(5)), /locked/],
    ["an input that may not be replaced", psbtOf((psbt) => psbt.setInputSequence(0, 0xffff_ffff)), /replaced/],
    ["a relative lock time", psbtOf((psbt) => psbt.setInputSequence(0, 144)), /replaced/],
    [
      "another hash type",
      psbtOf((psbt) => psbt.updateInput(0, { sighashType: Transaction.SIGHASH_NONE })),
      /sighashType/
    ],
    [
      "a signature that is there already",
      psbtOf((psbt) => psbt.signInput(0, { publicKey: alice.publicKey, sign: (digest) => sign(digest, alice.secret) })),
      /partialSig/
    ],
    [
      "a field of an input that nobody knows",
      psbtOf((psbt) => psbt.addUnknownKeyValToInput(0, unknownKey)),
      /unknownKeyVals/
    ],
    [
      "a field of an output that nobody knows",
      psbtOf((psbt) => psbt.addUnknownKeyValToOutput(0, unknownKey)),
      /output/
    ],
    ["a field of its own that nobody knows", psbtOf((psbt) => psbt.addUnknownKeyValToGlobal(unknownKey)), /more than/],
    [
      "an input of P2TR, which is not signed here",
      psbtOf((psbt) => psbt.addInput({ ...utxo(2), witnessUtxo: { script: taproot, value: units } })),
      /not signed here/
    ],
    [
      "an input of P2WSH",
      psbtOf((psbt) => {
        const script = Uint8Array.of(0x00, 0x20, ...new Uint8Array(32).fill(1))
        psbt.addInput({ ...utxo(2), witnessUtxo: { script, value: units } })
      }),
      /not signed here/
    ],
    ["an input of which nothing is known", psbtOf((psbt) => psbt.addInput(utxo(2))), /nothing/],
    [
      "an input of P2PKH without the transaction that it spends",
      psbtOf((psbt) => psbt.addInput({ ...utxo(2), witnessUtxo: { script: legacyOf(bob), value: units } })),
      /not signed here/
    ],
    [
      "an input of P2PKH with another transaction",
      withPrevious(previous(legacyOf(bob), units), "11".repeat(32)),
      /does not come/
    ],
    ["an input of P2PKH with a witness that nothing covers", withPrevious(withWitness()), /does not come/],
    ["an input of P2WPKH with all of its transaction", withPrevious(previous(programOf(bob), units)), /no P2PKH/],
    [
      "a script that is not that of P2SH",
      psbtOf((psbt) => {
        psbt.addInput({ ...utxo(2), witnessUtxo: { script: nestedOf(bob), value: units } })
        const input = psbt.data.inputs[1]
        if (input !== undefined) input.redeemScript = programOf(alice)
      }),
      /of this script/
    ],
    ["bytes that are none", new Uint8Array(), /PSBT/]
  ])("refuses %s", (_, bytes, words) => {
    assert.match(refusal(bytes), words)
    assert.isTrue(Result.isFailure(format.finish(bytes, [])))
  })

  it("takes what is not refused: the same PSBT without a change", () => {
    assert.strictEqual(refusal(psbtOf()), "")
  })

  it("has a cap of its own for fees", () => {
    const frugal = bitcoinCodec({ chain: "regtest", feeRateMax: 1_000n })
    assert.isTrue(Result.isSuccess(frugal.read(psbtOf(undefined, units - 110n))))
    assert.isTrue(Result.isFailure(frugal.read(psbtOf(undefined, units - 1_000n))))
  })

  it("names the addresses of its chain", () => {
    const main = Result.getOrThrow(bitcoinCodec({ chain: "main" }).read(psbtOf()))
    assert.strictEqual(main.payments[0]?.to, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4")
  })

  it("reads two readings of one coin as two digests: no signature covers another amount", () => {
    const other = new Psbt()
    other.setVersion(2)
    other.addInput({ ...utxo(1), witnessUtxo: { script: programOf(alice), value: units + 1n } })
    other.addOutput({ script: payeeScript, value: 95_000n })
    const digest = (bytes: Uint8Array) => Result.getOrThrow(format.read(bytes)).digests[0]?.digest
    assert.notDeepEqual(digest(psbtOf()), digest(other.toBuffer()))
  })
})
