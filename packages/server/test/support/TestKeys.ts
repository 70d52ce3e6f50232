import { documentMessage } from "@bursar/api/solvency/documentSignature"
import { reserveMessage } from "@bursar/api/solvency/reserveMessage"
import { ProofRefused, ReserveProver } from "@bursar/core/port/ReserveProver"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { createHash, generateKeyPairSync, sign } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { KeyCustodies } from "@bursar/core/port/KeyCustody"
import { makeSealedCustody } from "@bursar/vault/SealedCustody"
import { keyed, keysAt } from "@bursar/testkit/fixtures/deposits"
import type { Network } from "@bursar/core/money/Network"
import type { NetworkKeys } from "@bursar/core/port/NetworkAdapter"
import { addressOfPublicKey, deriveAddress, evmKeys, parseXpub } from "@bursar/evm/Keys"
import { parseMasterKeys } from "@bursar/vault/MasterKeys"
import { layer as layerVault } from "@bursar/vault/SealedVault"
import { Effect, Layer, Redacted, Result } from "effect"

/** What the key of an address signs in these tests: the standards are for the adapters to know. */
export const signatureOf = (network: string, address: string, message: string): string =>
  createHash("sha256").update(`${network}|${address}|${message}`).digest("hex")

/** The keys of EVM networks, their addresses in lower case as those of these tests are. */
export const testKeys = (network: Network): NetworkKeys => ({
  parse: (text) => Result.map(parseXpub(text), () => ({ canonical: text })),
  accountKeyName: evmKeys.accountKeyName,
  derive: (account, from, count) =>
    Effect.sync(() => {
      const xpub = Result.getOrThrow(parseXpub(account))
      return Array.from({ length: count }, (_, offset) => keyed(deriveAddress(xpub, from + offset).toLowerCase()))
    }),
  addressesOf: (publicKey) => [addressOfPublicKey(publicKey).toLowerCase()],
  keysOf: keysAt,
  keysOfPublicKey: (publicKey) => keysAt(addressOfPublicKey(publicKey)),
  verifyMessage: (address, message, signature) => Effect.succeed(signature === signatureOf(network, address, message))
})

const masterKeys = Result.getOrThrow(parseMasterKeys(Redacted.make(`test:${Buffer.alloc(32, 7).toString("base64")}`)))

/** A custody of keys in files, which go with the service. */
const custodies = Layer.effect(
  KeyCustodies,
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "bursar-server-custody-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const custody = yield* Effect.orDie(makeSealedCustody(masterKeys, folder))
    return new Map([[custody.name, custody]])
  })
)

const documentPair = generateKeyPairSync("ed25519")

/** Signs as the keys of these tests do, with every key but those of custodies. */
const prover = Layer.succeed(
  ReserveProver,
  ReserveProver.of({
    signDocument: (document) =>
      Effect.sync(() => {
        const signature = sign(null, Buffer.from(documentMessage(document)), documentPair.privateKey)
        const spki = documentPair.publicKey.export({ format: "der", type: "spki" })
        return { key: spki.subarray(-32).toString("hex"), signature: signature.toString("hex") }
      }),
    prove: ({ key, ...claim }) => {
      const { address, network } = claim
      const message = reserveMessage(claim)
      return key._tag === "Custodied"
        ? Effect.fail(new ProofRefused({ network, reason: "its custody signs no messages" }))
        : Effect.succeed({ format: "EIP-191", message, signature: signatureOf(network, address, message) })
    }
  })
)

/** A vault under a master key of these tests, with one custody beside it, and what proves reserves. It needs the store of keys. */
export const vault = Layer.merge(layerVault(masterKeys, presetNetworks).pipe(Layer.provide(custodies)), prover)
