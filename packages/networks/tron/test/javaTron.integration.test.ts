import { bytesToHex } from "@noble/hashes/utils.js"
import { deriveAddress, makeTronSender, parseXpub } from "@bursar/tron"
import { assert, describe, layer } from "@effect/vitest"
import { BIP32Factory } from "bip32"
import { Cause, Effect, Exit, Redacted, Result } from "effect"
import * as ecc from "tiny-secp256k1"
import { javaTron, JavaTronWorld } from "./support/JavaTronWorld.ts"
import { inHex } from "./support/World.ts"

const sun = 5_000_000n
const timeoutMs = 180_000

const account = BIP32Factory(ecc).fromSeed(new Uint8Array(32).fill(7)).derivePath("m/44'/195'/0'")
const keyAt = (index: number): string => bytesToHex(account.derive(0).derive(index).privateKey ?? new Uint8Array())

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
