import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { signature } from "@bursar/simulator-tron/account"
import { deriveAddress, makeTronReader, makeTronSender, parseXpub } from "@bursar/tron"
import { assert, describe, layer } from "@effect/vitest"
import { BIP32Factory } from "bip32"
import { Cause, Effect, Exit, Redacted, Result } from "effect"
import * as ecc from "tiny-secp256k1"
import { bytesField, bytesIn, fieldsOf, numberField, numberIn } from "../src/internal/rpc/protobuf.ts"
import { javaTron, JavaTronWorld } from "./support/JavaTronWorld.ts"
import { inHex } from "./support/World.ts"

const sun = 5_000_000n
const timeoutMs = 180_000

const account = BIP32Factory(ecc).fromSeed(new Uint8Array(32).fill(7)).derivePath("m/44'/195'/0'")
const keyAt = (index: number): string => bytesToHex(account.derive(0).derive(index).privateKey ?? new Uint8Array())

const fieldsIn = (message: Uint8Array) => fieldsOf(message) ?? assert.fail("it is no message of protobuf")

/** A payment that a node made, signed over bytes that say the same in another way. */
const writtenOddly = (raw: Uint8Array, url: string, more: { contract?: Uint8Array; value?: Uint8Array }) => {
  const fields = fieldsIn(raw)
  const contract = fieldsIn(bytesIn(fields, 11))
  const value = concatBytes(bytesIn(fieldsIn(bytesIn(contract, 2)), 2), more.value ?? new Uint8Array())
  const any = concatBytes(bytesField(1, utf8ToBytes(url)), bytesField(2, value))
  return concatBytes(
    bytesField(1, bytesIn(fields, 1)),
    bytesField(4, bytesIn(fields, 4)),
    numberField(8, numberIn(fields, 8)),
    bytesField(
      11,
      concatBytes(numberField(1, numberIn(contract, 1)), bytesField(2, any), more.contract ?? new Uint8Array())
    ),
    numberField(14, numberIn(fields, 14))
  )
}

describe.skipIf(javaTron.found === undefined)(`java-tron${javaTron.skipped}`, () => {
  layer(JavaTronWorld.layer, { excludeTestServices: true, timeout: timeoutMs })(
    "a private network of java-tron",
    (it) => {
      it.effect(
        "takes the key below an account for that of the address derived from its xpub, and no other key",
        () =>
          Effect.gen(function* () {
            const { address, node, pay } = yield* JavaTronWorld
            const xpub = Result.getOrThrow(parseXpub(account.neutered().toBase58()))
            for (const index of [0, 1, 1_000_000]) {
              const derived = deriveAddress(xpub, index)
              yield* pay(derived, sun * 2n)
              yield* node.mine(1)
              const transfer = yield* node.ask("wallet/createtransaction", {
                ...{ owner_address: inHex(derived), to_address: inHex(yield* address), amount: 1 }
              })
              const foreign = yield* Effect.exit(node.broadcast(transfer, keyAt(index + 1)))
              assert.match(Exit.isFailure(foreign) ? Cause.pretty(foreign.cause) : "taken", /SIGERROR/u)
              const id = yield* node.broadcast(transfer, keyAt(index))
              yield* node.mine(1)
              assert.strictEqual((yield* node.ask("wallet/gettransactioninfobyid", { value: id }))["id"], id)
            }
          }),
        timeoutMs
      )

      it.effect(
        "runs payments that were written oddly, and they are read",
        () =>
          Effect.gen(function* () {
            const { address, faults, node, pay, token } = yield* JavaTronWorld
            const payer = deriveAddress(Result.getOrThrow(parseXpub(account.neutered().toBase58())), 7)
            yield* pay(payer, sun * 100n)
            yield* node.mine(1)
            const reader = makeTronReader({ nodeUrl: Redacted.make(faults.url), contracts: [token] })
            const usual = "type.googleapis.com/protocol.TransferContract"
            // the amount again, another one, behind a tag of which only the lower 32 bits say so
            const amount = concatBytes(Uint8Array.of(0x98, 0x80, 0x80, 0x80, 0x10), numberField(3, sun * 2n).slice(1))
            for (const [url, more, units] of [
              ["x\n/protocol.TransferContract", {}, sun],
              ["a/protocol.VoteWitnessContract\n/protocol.TransferContract", {}, sun],
              [usual, { value: bytesField(3, utf8ToBytes("x")) }, sun],
              [usual, { value: numberField(1, 5n) }, sun],
              [usual, { contract: numberField(2, 5n) }, sun],
              [usual, { value: amount }, sun * 2n]
            ] as const) {
              const to = yield* address
              const transfer = yield* node.ask("wallet/createtransaction", {
                ...{ owner_address: inHex(payer), to_address: inHex(to), amount: Number(sun) }
              })
              const raw = writtenOddly(hexToBytes(String(transfer["raw_data_hex"])), url, more)
              const txID = bytesToHex(sha256(raw))
              const signed = concatBytes(bytesField(1, raw), bytesField(2, hexToBytes(signature(keyAt(7), txID))))
              const taken = yield* node.ask("wallet/broadcasthex", { transaction: bytesToHex(signed) })
              assert.isTrue(taken["result"], JSON.stringify(taken))
              yield* node.mine(1)
              const { blockID } = yield* node.ask("wallet/getnowblock")
              const { transfers, unread } = yield* reader.block(String(blockID))
              assert.isUndefined(unread)
              assert.deepStrictEqual(
                transfers.map((moved) => [moved.txHash, moved.to, moved.units]),
                [[txID, to, units]]
              )
            }
          }),
        timeoutMs
      )

      it.effect(
        "counts pending payments in the balances of `/wallet`, which the sender does not",
        () =>
          Effect.gen(function* () {
            const { address, faults, node, pay, token } = yield* JavaTronWorld
            const sender = makeTronSender({ nodeUrl: Redacted.make(faults.url), contracts: [token] })
            const receiver = yield* address
            yield* pay(receiver, sun)
            assert.strictEqual(
              (yield* node.ask("wallet/getaccount", { address: inHex(receiver) }))["balance"],
              Number(sun)
            )
            assert.strictEqual(yield* sender.balance(receiver, null), 0n)
            yield* node.mine(1)
            assert.strictEqual(yield* sender.balance(receiver, null), 0n)
            yield* node.solidify
            assert.strictEqual(yield* sender.balance(receiver, null), sun)
          }),
        timeoutMs
      )
    }
  )
})
