import { type GrantKind, grantText, type GrantValues } from "@bursar/core/grant/GrantDocument"
import { grantHash } from "@bursar/core/grant/grantHash"
import { awaitingAdoption, type FleetState, mustAdopt } from "@bursar/core/grant/GrantState"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { chainsObjection } from "@bursar/core/grant/signingByGrants"
import { verifyTenant } from "@bursar/core/grant/verifyChain"
import { defaultPolicy } from "@bursar/core/tenant/Tenant"
import { approvedBy, documentOn, grantTenant, type TestApprover, testApprover } from "@bursar/testkit/fixtures/grants"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { signingKey, world } from "./chain.ts"

type World = Effect.Success<ReturnType<typeof world>>

const set = (people: ReadonlyArray<TestApprover>, quorum = "2", quorums: Readonly<Record<string, string>> = {}) => ({
  approvers: people.map(({ approver }) => approver),
  quorum,
  quorums
})

const wallet = (address: string): GrantValues<"payout_wallet"> => ({
  network: "ethereum",
  role: "PAYOUT",
  address,
  state: "ACTIVE"
})

const suspension = { suspended: true, reason: "Asked for." }

/** The state of the fleet as it was at one of its grants. */
const fleetAt = (fleet: FleetState, number: number) => ({
  number: String(number),
  hash: fleet.hashes[number] ?? "0".repeat(64)
})

/** What somebody with keys and the database appends: values that name a grant of the fleet of their choice. */
const append = Effect.fnUntraced(function* <K extends GrantKind>(
  all: World,
  [kind, values]: readonly [K, GrantValues<K>],
  { by, naming }: { readonly by: ReadonlyArray<TestApprover>; readonly naming: number }
) {
  const document = { ...documentOn(all.chain(), kind, values), fleet: fleetAt(all.chain().fleet, naming) }
  yield* all.append(yield* approvedBy(document, by), "tenant")
})

/** Five approvers, of whom the fleet then removes ann and bob, whose keys were stolen. */
const removed = Effect.fnUntraced(function* (begun: boolean) {
  const all = yield* world()
  const [dan, eve] = [yield* testApprover("dan", 4), yield* testApprover("eve", 5)]
  const { ann, bob, cleo } = all
  yield* all.grant("approvers", set([ann, bob, cleo, dan, eve]), [ann, bob])
  if (begun) yield* all.grant("policy", policyValues({ kind: "SANDBOX", policy: defaultPolicy }), [ann, cleo])
  yield* all.grant("approvers", set([cleo, dan, eve]), [dan])
  return { ...all, dan, eve, stolen: [ann, bob] }
})

const objection = (all: World) => chainsObjection(all.chain())

describe("keys of removed approvers", () => {
  for (const begun of [true, false])
    it.effect(`can add to a chain that ${begun ? "has not adopted" : "nobody has begun"}, and nobody goes by it`, () =>
      Effect.gen(function* () {
        const all = yield* removed(begun)
        yield* append(all, ["signing_key", signingKey], { by: all.stolen, naming: 1 })
        assert.isTrue(mustAdopt(all.chain().fleet, all.chain().tenant))
        assert.match(objection(all) ?? "", /adoption/u)
        // an adoption is nobody's, or theirs, or of fewer than the quorum
        const adoption = ["adoption", {}] as const
        for (const by of [[], [all.cleo]])
          assert.strictEqual(
            (yield* Effect.flip(append(all, adoption, { by, naming: 2 }))).code,
            "quorum_missing",
            `${by.length} of 2`
          )
        for (const by of [all.stolen, [all.ann, all.cleo]])
          assert.strictEqual(
            (yield* Effect.flip(append(all, adoption, { by, naming: 2 }))).code,
            "approval_unknown_key"
          )
        // nor does an adoption of the grant that still knew them help
        if (!begun) yield* append(all, adoption, { by: all.stolen, naming: 0 }).pipe(Effect.ignore)
        yield* append(all, adoption, { by: all.stolen, naming: 1 }).pipe(Effect.ignore)
        assert.match(objection(all) ?? "", /adoption/u)
      })
    )

  it.effect("are not believed because one who still approves lowers a risk on the same chain", () =>
    Effect.gen(function* () {
      const all = yield* removed(true)
      yield* append(all, ["payout_wallet", wallet("0xthief")], { by: all.stolen, naming: 1 })
      yield* all.grant("suspension", suspension, [all.cleo])
      yield* all.grant("payout_wallet", { ...wallet("0xthief"), state: "REVOKED" }, [all.dan])
      assert.match(objection(all) ?? "", /adoption/u)
      // nor because the quorum grants something else: what it did not say it confirms, it does not
      yield* all.grant("signing_key", signingKey, [all.cleo, all.eve])
      assert.match(objection(all) ?? "", /adoption/u)
      yield* all.grant("adoption", {}, [all.cleo, all.eve])
      assert.isUndefined(objection(all))
    })
  )

  it.effect("add nothing once the chain names the removal, and nothing between a grant and its approval", () =>
    Effect.gen(function* () {
      const all = yield* removed(true)
      const adoption = yield* approvedBy(documentOn(all.chain(), "adoption", {}), [all.cleo, all.dan])
      yield* append(all, ["signing_key", signingKey], { by: all.stolen, naming: 1 })
      // it was approved after another grant than stands there now
      assert.strictEqual((yield* Effect.flip(all.append(adoption, "tenant"))).code, "wrong_number")
      yield* all.grant("suspension", suspension, [all.cleo])
      const late = append(all, ["payout_wallet", wallet("0xthief")], { by: all.stolen, naming: 1 })
      assert.strictEqual((yield* Effect.flip(late)).code, "wrong_fleet")
    })
  )

  it.effect("are all named to those who confirm a chain, with what rests on them", () =>
    Effect.gen(function* () {
      const all = yield* removed(true)
      yield* append(all, ["signing_key", signingKey], { by: all.stolen, naming: 1 })
      yield* all.grant("suspension", suspension, [all.cleo])
      const { fleet, tenant } = all.chain()
      const seen = awaitingAdoption(fleet, tenant).map(({ approvedBy: people, grant }) => [
        grant.number,
        grant.document.kind,
        people.map(({ counts, person }) => [person, counts])
      ])
      assert.deepStrictEqual(seen, [
        [
          1,
          "policy",
          [
            ["ann", false],
            ["cleo", true]
          ]
        ],
        [
          2,
          "signing_key",
          [
            ["ann", false],
            ["bob", false]
          ]
        ]
      ])
      yield* all.grant("adoption", {}, [all.cleo, all.eve])
      assert.deepStrictEqual(awaitingAdoption(fleet, all.chain().tenant), [])
      // what was confirmed once is not asked about again when another is removed
      yield* all.grant("signing_key", { ...signingKey, api_key_id: "BBBBBBBB" }, [all.dan, all.eve])
      yield* all.grant("approvers", set([all.cleo, all.eve]), [all.eve])
      const again = awaitingAdoption(all.chain().fleet, all.chain().tenant)
      assert.deepStrictEqual(
        again.map(({ grant }) => grant.document.subject),
        [`BBBBBBBB|${signingKey.keyid}`]
      )
    })
  )

  it.effect("do not hold back a chain that begins after them", () =>
    Effect.gen(function* () {
      const all = yield* removed(false)
      yield* all.grant("suspension", suspension, [all.dan])
      assert.isUndefined(objection(all))
      const late = append(all, ["signing_key", signingKey], { by: all.stolen, naming: 1 })
      assert.strictEqual((yield* Effect.flip(late)).code, "wrong_fleet")
    })
  )
})

for (const [name, quorum, quorums] of [
  ["for everything", "2", {}],
  ["for one kind", "1", { signing_key: "2" }]
] as const)
  describe(`a quorum that was raised ${name}`, () => {
    it.effect("leaves nobody to whom the old one was enough", () =>
      Effect.gen(function* () {
        const all = yield* world()
        const people = [all.ann, all.bob, all.cleo]
        yield* all.grant("approvers", set(people, "1"), people)
        yield* all.grant("policy", policyValues({ kind: "SANDBOX", policy: defaultPolicy }), [all.ann])
        yield* all.grant("approvers", set(people, quorum, quorums), [all.bob])
        yield* append(all, ["signing_key", signingKey], { by: [all.ann], naming: 1 })
        assert.match(objection(all) ?? "", /adoption/u)
        // it confirms grants of every kind: it takes as many people as any of them
        assert.strictEqual((yield* Effect.flip(all.grant("adoption", {}, [all.ann]))).code, "quorum_missing")
        yield* all.grant("adoption", {}, [all.bob, all.cleo])
        assert.isUndefined(objection(all))
      })
    )
  })

describe("a set of approvers that is no stricter", () => {
  it.effect("is nothing to adopt: a quorum was lowered, or somebody came", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const [dan, people] = [yield* testApprover("dan", 4), [all.ann, all.bob, all.cleo]]
      yield* all.grant("policy", policyValues({ kind: "SANDBOX", policy: defaultPolicy }), [all.ann, all.bob])
      yield* all.grant("approvers", set([...people, dan], "1"), people)
      assert.isUndefined(objection(all))
    })
  )
})

describe("whatever removed keys and the database do", () => {
  /** What may be written at each step, by whom, naming which grant of the fleet. */
  const step = fc.record({
    what: fc.constantFrom<readonly [GrantKind, GrantValues<GrantKind>]>(
      ["signing_key", signingKey],
      ["payout_wallet", wallet("0xthief")],
      ["policy", policyValues({ kind: "SANDBOX", policy: defaultPolicy })],
      ["suspension", suspension],
      ["suspension", { ...suspension, suspended: false }],
      ["adoption", {}]
    ),
    // both removed keys, and those of one who still approves
    by: fc.subarray([0, 1, 2]),
    naming: fc.nat(2)
  })

  it.effect("no chain on which they wrote is gone by", () =>
    Effect.gen(function* () {
      const worlds = { true: yield* removed(true), false: yield* removed(false) }
      const attack = async (
        begun: boolean,
        steps: ReadonlyArray<typeof step extends fc.Arbitrary<infer A> ? A : never>
      ) =>
        Effect.runPromise(
          Effect.gen(function* () {
            const { ann, bob, chain, dan, trust } = begun ? worlds.true : worlds.false
            const { fleet } = chain()
            let { tenant } = chain()
            let theirs = 0
            for (const { by, naming, what } of steps) {
              const people = by.flatMap((at) => [ann, bob, dan].slice(at, at + 1))
              const document = { ...documentOn({ fleet, tenant }, ...what), fleet: fleetAt(fleet, naming) }
              const entry = yield* approvedBy(document, people)
              const next = yield* Effect.result(
                verifyTenant(trust, { tenantId: grantTenant, fleet, entries: [entry], known: tenant })
              )
              if (next._tag === "Failure") continue
              tenant = next.success
              if (by.includes(0) || by.includes(1)) theirs += 1
              assert.strictEqual(tenant.head.hash, yield* grantHash(grantText(document)))
            }
            assert.isTrue(theirs === 0 || mustAdopt(fleet, tenant), `${theirs} grants by removed keys`)
          })
        )
      yield* Effect.promise(() =>
        fc.assert(fc.asyncProperty(fc.boolean(), fc.array(step, { minLength: 1, maxLength: 6 }), attack), {
          numRuns: 150
        })
      )
    })
  )
})
