import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { KeyCustodies, type KeyCustody } from "@bursar/core/port/KeyCustody"
import { adapterOf, Networks } from "@bursar/core/port/Networks"
import { ReserveProver } from "@bursar/core/port/ReserveProver"
import { Vault } from "@bursar/core/port/Vault"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { makeKmsCustody } from "@bursar/custody-aws-kms/KmsCustody"
import { makePkcs11Custody } from "@bursar/custody-pkcs11/Pkcs11Custody"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, type Scope } from "effect"
import { beforeAll } from "vitest"
import { localStack, localStackUrl } from "../../custody/aws-kms/test/support/emulators.ts"
import { startStandInKms } from "../../custody/aws-kms/test/support/StandInKms.ts"
import { newTokens, softHsm, testPin } from "../../custody/pkcs11/test/support/softHsm.ts"
import { layerKeysIn } from "./support/keysAlone.ts"

const [owner, thief] = [1, 2].map((number) => TenantId(`00000000-0000-4000-8000-00000000000${number}`)) as [
  TenantId,
  TenantId
] // there are two

const claim = {
  service: "Bursar",
  snapshotId: "019845e1-682f-4b02-a706-3b2422d13aec",
  commitment: "ab".repeat(32),
  takenAt: "2026-11-23T12:00:00.000Z"
}

beforeAll(() => {
  process.env["AWS_ACCESS_KEY_ID"] = "test"
  process.env["AWS_SECRET_ACCESS_KEY"] = "test"
})

/** Has the keys of a custody prove addresses on each network whose curve it offers; gives one of the keys with its address. */
const proveAll = Effect.fnUntraced(function* (custody: string, curves: ReadonlyArray<string>) {
  const [networks, vault] = [yield* Networks, yield* Vault]
  const { prove } = yield* ReserveProver
  for (const { keyPaths, name: network } of presetNetworks.all.filter((one) => curves.includes(one.keyPaths.curve))) {
    const { keyId } = yield* vault.createCustodyKey({ tenantId: owner, network, custody, index: 0 })
    const key = { _tag: "Custodied", tenantId: owner, network, custody, keyId } as const
    const { keys } = adapterOf(networks, network)
    for (const address of keys.addressesOf(yield* vault.publicKey(key))) {
      const { message, signature } = yield* prove({ key, network, address, ...claim })
      assert.isTrue(yield* keys.verifyMessage(address, message, signature), `${network} ${keyPaths.curve}`)
      const theirs = prove({ key: { ...key, tenantId: thief }, network, address, ...claim })
      assert.strictEqual((yield* Effect.flip(theirs))._tag, "VaultError", network)
    }
  }
})

const over = <E>(custody: Effect.Effect<KeyCustody, E, Scope.Scope>) =>
  layerKeysIn(
    Layer.effect(
      KeyCustodies,
      Effect.map(custody, (one) => new Map([[one.name, one]]))
    )
  )

const kmsAt = (endpoint: string) =>
  makeKmsCustody({ region: "eu-central-1", endpoint, attemptsMax: 1, timeoutMs: 5_000 })

const standIn = Effect.acquireRelease(
  Effect.promise(() => startStandInKms()),
  ({ stop }) => Effect.promise(stop)
)

describe("reserves whose keys are in AWS KMS", () => {
  it.live("are proven by keys of a stand-in of KMS on every network, and are not while it refuses", () =>
    Effect.gen(function* () {
      const kms = yield* standIn
      yield* Effect.gen(function* () {
        yield* proveAll("aws-kms", ["secp256k1", "ed25519"])
        const [networks, vault, { prove }] = [yield* Networks, yield* Vault, yield* ReserveProver]
        const network = "ethereum"
        const { keyId } = yield* vault.createCustodyKey({ tenantId: owner, network, custody: "aws-kms", index: 0 })
        const key = { _tag: "Custodied", tenantId: owner, network, custody: "aws-kms", keyId } as const
        const [address = ""] = adapterOf(networks, network).keys.addressesOf(yield* vault.publicKey(key))
        kms.fail("Sign", "AccessDeniedException", 1)
        const reserve = { key, network, address, ...claim }
        assert.strictEqual((yield* Effect.flip(prove(reserve)))._tag, "VaultError")
        yield* prove(reserve)
      }).pipe(Effect.provide(over(kmsAt(kms.endpoint))))
    })
  )

  describe.skipIf(localStack.found === undefined)(`on LocalStack${localStack.skipped}`, () => {
    // LocalStack knows no ed25519
    it.live("are proven on every network of its curve", () =>
      Effect.flatMap(localStackUrl, (url) => Effect.provide(proveAll("aws-kms", ["secp256k1"]), over(kmsAt(url))))
    )
  })
})

describe.skipIf(softHsm.skipped !== "")(`reserves whose keys are on a token of SoftHSM${softHsm.skipped}`, () => {
  it.live("are proven on every network", () =>
    Effect.gen(function* () {
      yield* Effect.acquireRelease(
        Effect.sync(() => newTokens(["reserves"])),
        ({ remove }) => Effect.sync(remove)
      )
      const pin = Redacted.make(testPin)
      const token = makePkcs11Custody({ module: softHsm.module ?? "", token: "reserves", pin })
      yield* Effect.provide(proveAll("pkcs11", ["secp256k1", "ed25519"]), over(token))
    })
  )
})
