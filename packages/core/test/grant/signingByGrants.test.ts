import { noPasskeys, passkeyChallenge, type PasskeyVerifier, verifyApproval } from "@bursar/core/grant/Approval"
import type { Passkey } from "@bursar/core/grant/ApproverSet"
import type { GrantValues } from "@bursar/core/grant/GrantDocument"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { GrantChainBroken } from "@bursar/core/grant/verifyChain"
import {
  coinObjection,
  environmentUnsaid,
  grantedSigningKeys,
  leavingObjection,
  ownPaymentObjection
} from "@bursar/core/grant/signingByGrants"
import type { KeyedAddress } from "@bursar/core/port/TransactionSigner"
import { defaultPolicy, type TenantPolicy } from "@bursar/core/tenant/Tenant"
import { grantTenant, proposedAt, testApprover } from "@bursar/testkit/fixtures/grants"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { signingKey, world } from "./chain.ts"

const agreed = (policy: Partial<TenantPolicy> = {}) =>
  policyValues({ kind: "LIVE", policy: { ...defaultPolicy, ...policy } })

describe("what may be signed for a tenant on a network, by grants alone", () => {
  it.effect("is nothing before a policy is granted that says the environment", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const two = [all.ann, all.bob]
      const objection = () => leavingObjection(all.chain(), "ethereum")
      assert.match(objection() ?? "", /no policy was granted/u)
      const { environment: _, ...early } = agreed()
      yield* all.grant("policy", early, two)
      assert.strictEqual(objection(), environmentUnsaid)
      yield* all.grant("policy", agreed(), two)
      assert.isUndefined(objection())
    })
  )

  it.effect("is nothing while payouts are off there, or a limit is nothing at all", () =>
    Effect.gen(function* () {
      const wrong: ReadonlyArray<readonly [Partial<TenantPolicy>, RegExp]> = [
        [{ payoutsEnabled: false }, /chain payouts off/u],
        [{ payoutsOffOn: ["base", "ethereum"] }, /on ethereum off/u],
        [{ payoutLimitUsd: "0" }, /limit of 0/u],
        [{ payoutDailyLimitUsd: "0" }, /limit of 0/u]
      ]
      for (const [policy, why] of wrong) {
        const all = yield* world()
        yield* all.grant("policy", agreed(policy), [all.ann, all.bob])
        assert.match(leavingObjection(all.chain(), "ethereum") ?? "", why)
        const elsewhere = leavingObjection(all.chain(), "bsc")
        assert.strictEqual(elsewhere === undefined, policy.payoutsOffOn !== undefined, "another network")
      }
      const free = yield* world()
      yield* free.grant("policy", agreed({ payoutLimitUsd: null, payoutDailyLimitUsd: null }), [free.ann, free.bob])
      assert.isUndefined(leavingObjection(free.chain(), "ethereum"))
    })
  )

  it.effect("is nothing while the network is stopped or the tenant suspended", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const two = [all.ann, all.bob]
      yield* all.grant("policy", agreed(), two)
      yield* all.grant("network", { network: "ethereum", stopped: true, reason: "A reorg." }, [all.cleo])
      assert.match(leavingObjection(all.chain(), "ethereum") ?? "", /stopped/u)
      assert.isUndefined(leavingObjection(all.chain(), "base"))
      yield* all.grant("suspension", { suspended: true, reason: "Asked for." }, [all.ann])
      for (const network of ["ethereum", "base"])
        assert.match(leavingObjection(all.chain(), network) ?? "", /suspended/u)
    })
  )
})

describe("the keys of a partner that a signer goes by", () => {
  it.effect("are those that are granted, from when they were proposed, and none that was revoked", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const two = [all.ann, all.bob]
      const other = { ...signingKey, keyid: "other" }
      yield* all.grant("signing_key", signingKey, two)
      yield* all.grant("signing_key", other, two)
      yield* all.grant("signing_key", { ...other, state: "REVOKED" }, [all.cleo])
      assert.deepStrictEqual(grantedSigningKeys(all.chain().tenant), [
        {
          tenantId: grantTenant,
          apiKeyId: signingKey.api_key_id,
          keyid: signingKey.keyid,
          publicKey: signingKey.public_key,
          createdAt: proposedAt,
          revokedAt: null
        }
      ])
    })
  )
})

describe("what a tenant pays to its own keys", () => {
  const wallet = (address: string, more: Partial<GrantValues<"payout_wallet">> = {}): GrantValues<"payout_wallet"> => ({
    network: "ethereum",
    role: "PAYOUT",
    address,
    state: "ACTIVE",
    ...more
  })
  const where = { tenantId: grantTenant, network: "ethereum" } as const
  const seed = { ...where, seedId: "seed", index: 0 }
  const keys: ReadonlyArray<KeyedAddress> = [
    { address: "0XWALLET", key: { ...seed, _tag: "Wallet" } },
    { address: "0XLATER", key: { ...seed, _tag: "Wallet" } },
    { address: "0XCUSTODY", key: { ...where, _tag: "Custodied", custody: "pkcs11", keyId: "1" } },
    { address: "0XISSUED", key: { ...seed, _tag: "Issued" } },
    { address: "0XIMPORTED", key: { ...where, _tag: "Imported", keyId: "1" } }
  ]

  it.effect("goes to wallets that are granted; an address that deposits come to may have coin for fees", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const two = [all.ann, all.bob]
      const objection = (to: string, contract: string | null = null) =>
        ownPaymentObjection({
          chains: all.chain(),
          network: "ethereum",
          parse: (text) => (text === "strange" ? Result.fail("It is none.") : Result.succeed(text.toUpperCase())),
          own: new Map(keys.map((one) => [one.address, one])),
          payments: [
            { to: "0XSOMEBODY", contract: "0xc", units: 1n, memo: null },
            { to, contract, units: 1n, memo: null }
          ]
        })
      assert.match(objection("0XWALLET") ?? "", /no wallet that was granted/u)
      yield* all.grant("payout_wallet", wallet("strange"), two)
      yield* all.grant("payout_wallet", wallet("0xlater", { role: "CHANNEL" }), two)
      yield* all.grant("payout_wallet", wallet("0xlater", { role: "CHANNEL", state: "REVOKED" }), two)
      yield* all.grant("payout_wallet", wallet("0xcustody", { network: "base" }), two)
      yield* all.grant("payout_wallet", wallet("0xwallet"), two)
      for (const contract of [null, "0xc"]) {
        assert.isUndefined(objection("0XSOMEBODY", contract), "that is for others to judge")
        assert.isUndefined(objection("0XWALLET", contract))
        for (const to of ["0XLATER", "0XCUSTODY"]) assert.isDefined(objection(to, contract), `${to} ${contract}`)
      }
      for (const to of ["0XISSUED", "0XIMPORTED"]) {
        assert.isUndefined(objection(to))
        assert.isDefined(objection(to, "0xc"))
      }
      yield* all.grant("suspension", { suspended: true, reason: "A thief." }, [all.ann])
      for (const to of ["0XISSUED", "0XWALLET"]) assert.isUndefined(objection(to))
      assert.match(objection("0XIMPORTED") ?? "", /suspended/u)
      yield* all.grant("suspension", { suspended: false, reason: "He is gone." }, two)
      yield* all.grant("network", { network: "ethereum", stopped: true, reason: "A thief." }, [all.cleo])
      for (const to of ["0XISSUED", "0XWALLET"]) assert.isUndefined(objection(to))
      assert.match(objection("0XIMPORTED") ?? "", /stopped/u)
    })
  )
})

describe("coin for the fees of an address", () => {
  it.effect("is not given to an imported one while a grant stops it, or while the chains do not hold", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const broken = new GrantChainBroken({ tenantId: grantTenant, position: 1, code: "cut", reason: "it is gone" })
      const objections = (key: "Issued" | "Imported") =>
        [undefined, all.chain(), broken].map((ruling) => coinObjection(ruling, "ethereum", { _tag: key }))
      assert.deepStrictEqual(objections("Imported"), [undefined, undefined, broken.message])
      yield* all.grant("suspension", { suspended: true, reason: "A thief." }, [all.ann])
      assert.match(objections("Imported")[1] ?? "", /suspended/u)
      assert.deepStrictEqual(objections("Issued"), [undefined, undefined, undefined])
    })
  )
})

describe("an approval", () => {
  const hash = "ab".repeat(32)
  const passkey: Passkey = { type: "passkey", credential_id: "A".repeat(16), public_key: "B".repeat(100) }
  const assertion = {
    type: "passkey",
    key: passkey.credential_id,
    authenticator_data: "AA",
    client_data: "AA",
    signature: "AA"
  } as const
  const asked: PasskeyVerifier = {
    verify: (key, approval, challenge) =>
      Effect.succeed(key === passkey && approval === assertion && challenge === passkeyChallenge(hash))
  }

  it.effect("by a passkey is for the one grant, by the one credential, and nothing where no passkeys are taken", () =>
    Effect.gen(function* () {
      const by = (approval: typeof assertion, passkeys = asked, of = hash) =>
        verifyApproval(passkeys, passkey, { approval, hash: of })
      assert.strictEqual(passkeyChallenge("00ff".padEnd(64, "0")), `AP8${"A".repeat(40)}`)
      assert.isTrue(yield* by(assertion))
      assert.isFalse(yield* by(assertion, noPasskeys))
      assert.isFalse(yield* by(assertion, asked, "cd".repeat(32)))
      const yes: PasskeyVerifier = { verify: () => Effect.succeed(true) }
      assert.isFalse(yield* by({ ...assertion, key: "C".repeat(16) }, yes), "another credential")
    })
  )

  it.effect("by a file is the signature of that key over that hash, whatever else it says", () =>
    Effect.gen(function* () {
      const [ann, bob] = [yield* testApprover("ann", 1), yield* testApprover("bob", 2)]
      const [key] = ann.approver.keys
      if (key?.type !== "ed25519") return assert.fail("she has another key")
      const yes: PasskeyVerifier = { verify: () => Effect.succeed(true) }
      const counts = (
        approval: Parameters<typeof verifyApproval>[2]["approval"],
        by: Parameters<typeof verifyApproval>[1] = key
      ) => verifyApproval(yes, by, { approval, hash })
      const word = yield* ann.sign(hash)
      if (word.type !== "ed25519") return assert.fail("she signs otherwise")
      assert.isTrue(yield* counts(word))
      const others = yield* bob.sign(hash)
      for (const wrong of [
        others,
        { ...others, key: word.key },
        { ...word, key: others.key },
        yield* ann.sign("cd".repeat(32)),
        { ...word, signature: word.signature.slice(1) },
        { ...word, signature: "!" },
        { ...assertion, key: key.public_key }
      ])
        assert.isFalse(yield* counts(wrong), JSON.stringify(wrong))
      assert.isFalse(yield* counts({ ...word, key: passkey.credential_id }, passkey), "a passkey signs no files")
      for (const public_key of ["AA", "_".repeat(43)])
        assert.isFalse(yield* counts({ ...word, key: public_key }, { ...key, public_key }), "no point of the curve")
    })
  )
})
