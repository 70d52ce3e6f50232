import { toIso } from "@bursar/core/base/Timestamp"
import type { GrantValues } from "@bursar/core/grant/GrantDocument"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { AuditSealer } from "@bursar/core/port/AuditSealer"
import { GrantWitness } from "@bursar/core/port/GrantWitness"
import { ReserveProver } from "@bursar/core/port/ReserveProver"
import { TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { Vault } from "@bursar/core/port/Vault"
import { defaultPolicy, TenantId } from "@bursar/core/tenant/Tenant"
import { listenSigner, SignerClient } from "@bursar/signer"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import {
  type Chains,
  folder,
  grantedPartner,
  newPartner,
  openChains,
  openSigner,
  type OpenSigner,
  type Partner,
  restored,
  services
} from "./support/grantedWorld.ts"

const hour = 3_600_000
const start = Date.now()

/** Lets something happen some hours after the start. */
const at = (hours: number) => {
  const now = start + hours * hour
  return <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(Clock.Clock, (clock) =>
      Effect.provideService(effect, Clock.Clock, {
        currentTimeMillisUnsafe: () => now,
        currentTimeMillis: Effect.succeed(now),
        currentTimeNanosUnsafe: () => BigInt(now) * 1_000_000n,
        currentTimeNanos: Effect.succeed(BigInt(now) * 1_000_000n),
        monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: clock.monotonicTimeNanos,
        sleep: (duration) => clock.sleep(duration)
      })
    )
}

const policy = (destinationCoolingHours: number) =>
  policyValues({ kind: "LIVE", policy: { ...defaultPolicy, destinationCoolingHours } })

/** Grants a destination with a document that says to be three days old, and that it may receive since yesterday. */
const grantBackdated = Effect.fnUntraced(function* (
  { ann, bob, grant, rowsOf }: Chains,
  { id: tenantId }: Partner,
  usableFrom = start - 24 * hour
) {
  const values: GrantValues<"destination"> = {
    id: randomUUID(),
    currency: "USDC_ETH",
    network: "ethereum",
    address: "0x71C7656EC7ab88b098defB751B7401B5f6d8976F",
    memo: null,
    label: "Treasury",
    usable_from: toIso(usableFrom),
    state: "ACTIVE"
  }
  yield* grant(tenantId, "destination", values, [ann, bob], rowsOf(null).length, start - 72 * hour)
  return { tenantId, id: values.id, hash: rowsOf(tenantId).at(-1)?.hash ?? "" }
})

/** A partner to whom all is granted, before a signer looks for the first time. */
const settled = Effect.gen(function* () {
  const chains = yield* openChains
  const [directory, partner] = [yield* folder, yield* grantedPartner(chains)]
  return { chains, directory, partner }
})

/** The same with a signer that watches, until the effect ends. */
const watching = <A, E, R>(
  { chains, directory }: { readonly chains: Chains; readonly directory: string },
  use: (signer: OpenSigner) => Effect.Effect<A, E, R>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const signer = yield* openSigner(chains, directory)
      yield* signer.lookAtTenants
      return yield* use(signer)
    })
  )

describe("the waiting time of a destination", () => {
  it.live("counts from when the signer saw its grant, whatever document and row say, also after a restart", () =>
    Effect.gen(function* () {
      const world = yield* settled
      const granted = yield* watching(world, (signer) =>
        Effect.gen(function* () {
          const destination = yield* grantBackdated(world.chains, world.partner)
          yield* signer.lookAtTenants.pipe(at(1))
          assert.strictEqual(yield* signer.receivesFrom(destination).pipe(at(2)), start + 25 * hour)
          return destination
        })
      )
      const again = watching(world, ({ receivesFrom }) => receivesFrom(granted))
      assert.strictEqual(yield* again.pipe(at(20)), start + 25 * hour)
    }).pipe(Effect.provide(services))
  )

  it.live("counts though a row that cannot be read hides from a new store which chains there are", () =>
    Effect.gen(function* () {
      const { chains, directory, partner } = yield* settled
      const store = { ...chains.store, ends: Effect.die(new Error("no number")) }
      yield* watching({ chains: { ...chains, store }, directory }, (signer) =>
        Effect.gen(function* () {
          const destination = yield* grantBackdated(chains, partner)
          yield* signer.lookAtTenants
          assert.strictEqual(yield* signer.receivesFrom(destination).pipe(at(2)), start + 26 * hour)
        })
      )
    }).pipe(Effect.provide(services))
  )

  it.live("counts from the first question where nobody looked before", () =>
    Effect.gen(function* () {
      const world = yield* settled
      yield* watching(world, (signer) =>
        Effect.gen(function* () {
          const destination = yield* grantBackdated(world.chains, world.partner)
          assert.strictEqual(yield* signer.receivesFrom(destination).pipe(at(2)), start + 26 * hour)
        })
      )
    }).pipe(Effect.provide(services))
  )

  it.live("is what the document says where that is later", () =>
    Effect.gen(function* () {
      const world = yield* settled
      yield* watching(world, (signer) =>
        Effect.gen(function* () {
          const later = yield* grantBackdated(world.chains, world.partner, start + 100 * hour)
          assert.strictEqual(yield* signer.receivesFrom(later), start + 100 * hour)
        })
      )
    }).pipe(Effect.provide(services))
  )

  it.live(
    "does not begin anew for what was granted before the signer watched, on chains that it had never looked at",
    () =>
      Effect.gen(function* () {
        const world = yield* settled
        const before = yield* grantBackdated(world.chains, world.partner)
        yield* watching(world, ({ receivesFrom }) =>
          Effect.gen(function* () {
            assert.strictEqual(yield* receivesFrom(before), start - 24 * hour)
            const after = yield* grantBackdated(world.chains, world.partner)
            assert.isAbove(yield* receivesFrom(after), start + 24 * hour - 1)
          })
        )
      }).pipe(Effect.provide(services))
  )

  it.live("begins anew where the store was lost", () =>
    Effect.gen(function* () {
      const world = yield* settled
      const granted = yield* grantBackdated(world.chains, world.partner)
      yield* watching(world, ({ receivesFrom }) => receivesFrom(granted))
      const recovered = openSigner(world.chains, world.directory, "recover")
      const from = Effect.scoped(Effect.flatMap(recovered, ({ receivesFrom }) => receivesFrom(granted)))
      assert.strictEqual(yield* from.pipe(at(3)), start + 27 * hour)
    }).pipe(Effect.provide(services))
  )

  it.live("begins anew on a chain that was taken as it is, from the first look, though its end is known", () =>
    Effect.gen(function* () {
      const world = yield* settled
      const { chains, directory, partner } = world
      const granted = yield* grantBackdated(chains, partner)
      yield* grantBackdated(chains, partner)
      yield* watching(world, ({ receivesFrom }) => receivesFrom(granted))
      chains.rowsOf(partner.id).pop()
      assert.isTrue(yield* restored(chains, directory))
      yield* watching(world, () => Effect.void).pipe(at(3))
      const from = watching(world, ({ receivesFrom }) => receivesFrom(granted))
      assert.strictEqual(yield* from.pipe(at(5)), start + 27 * hour)
    }).pipe(Effect.provide(services))
  )

  it.live(
    "holds for a tenant whose first grants the signer sees, and for none that was granted before its policy",
    () =>
      Effect.gen(function* () {
        const world = yield* settled
        yield* watching(world, (signer) =>
          Effect.gen(function* () {
            const { chains } = world
            const fresh = yield* newPartner
            const first = yield* grantBackdated(chains, fresh)
            yield* chains.grant(fresh.id, "policy", policy(24))
            const second = yield* grantBackdated(chains, fresh)
            yield* signer.lookAtTenants
            assert.strictEqual(yield* signer.receivesFrom(first).pipe(at(1)), start - 24 * hour)
            assert.isAbove(yield* signer.receivesFrom(second), start + 24 * hour - 1)
          })
        )
      }).pipe(Effect.provide(services))
  )

  it.live("is not shortened at once: a shorter one counts when the longer one has passed since it was seen", () =>
    Effect.gen(function* () {
      const world = yield* settled
      const { chains, partner } = world
      yield* watching(world, (signer) =>
        Effect.gen(function* () {
          yield* chains.grant(partner.id, "policy", policy(0))
          yield* signer.lookAtTenants.pipe(at(1))
          const soon = yield* grantBackdated(chains, partner)
          assert.strictEqual(yield* signer.receivesFrom(soon).pipe(at(2)), start + 25 * hour)
          const later = yield* grantBackdated(chains, partner)
          assert.strictEqual(yield* signer.receivesFrom(later).pipe(at(30)), start + 25 * hour)
          // a longer one holds at once for those that follow
          yield* chains.grant(partner.id, "policy", policy(48), [chains.ann])
          const last = yield* grantBackdated(chains, partner, start)
          assert.strictEqual(yield* signer.receivesFrom(last).pipe(at(31)), start + 79 * hour)
          assert.strictEqual(yield* signer.receivesFrom(later).pipe(at(32)), start + 25 * hour)
        })
      )
    }).pipe(Effect.provide(services))
  )

  it.live("begins anew where the clock was ahead when the grant was seen", () =>
    Effect.gen(function* () {
      const world = yield* settled
      yield* watching(world, (signer) =>
        Effect.gen(function* () {
          const destination = yield* grantBackdated(world.chains, world.partner)
          yield* signer.lookAtTenants.pipe(at(10_000))
          assert.strictEqual(yield* signer.receivesFrom(destination).pipe(at(1)), start + 25 * hour)
          assert.strictEqual(yield* signer.receivesFrom(destination).pipe(at(2)), start + 25 * hour)
        })
      )
    }).pipe(Effect.provide(services))
  )

  it.live("is not known of a grant that the chain does not have, or that nobody has adopted", () =>
    Effect.gen(function* () {
      const world = yield* settled
      const { chains, partner } = world
      yield* watching(world, ({ lookAtTenants, receivesFrom }) =>
        Effect.gen(function* () {
          const destination = yield* grantBackdated(chains, partner)
          assert.match((yield* Effect.flip(receivesFrom({ ...destination, hash: "0" }))).reason, /no such grant/u)
          yield* receivesFrom(destination)
          yield* chains.remove(partner.id, chains.cleo, chains.ann)
          const stolen = yield* grantBackdated(chains, partner)
          yield* lookAtTenants
          assert.match((yield* Effect.flip(receivesFrom(stolen))).reason, /stricter/u)
          yield* chains.grant(partner.id, "adoption", {})
          assert.strictEqual(yield* receivesFrom(stolen).pipe(at(5)), start + 29 * hour)
        })
      )
    }).pipe(Effect.provide(services))
  )
})

describe("another process that asks the signer from when on a destination receives", () => {
  const destination = { tenantId: TenantId(randomUUID()), id: randomUUID(), hash: "ab".repeat(32) }

  /** Asks over a socket, what knows of grants and what does not. */
  const asked = Effect.fnUntraced(function* (witness: Layer.Layer<GrantWitness> | Layer.Layer<never>) {
    const address = { _tag: "Socket", path: join(yield* folder, "socket") } as const
    const others = Layer.mergeAll(
      Layer.mock(Vault, {}),
      Layer.mock(TransactionSigner, {}),
      Layer.mock(AuditSealer, { verify: Effect.succeed(null) }),
      Layer.mock(ReserveProver, {})
    )
    yield* Effect.provide(listenSigner({ address }), yield* Layer.build(Layer.merge(others, witness)))
    const client = yield* Layer.build(SignerClient.layerGrantWitness({ address }))
    return yield* Effect.provide(
      Effect.flatMap(GrantWitness, ({ receivesFrom }) => receivesFrom(destination)),
      client
    )
  })

  it.live("is told, about the very grant that it asks for", () =>
    Effect.gen(function* () {
      const questions: Array<unknown> = []
      const witness = Layer.succeed(
        GrantWitness,
        GrantWitness.of({
          receivesFrom: (one) =>
            Effect.as(
              Effect.sync(() => questions.push(one)),
              start
            )
        })
      )
      assert.strictEqual(yield* asked(witness), start)
      assert.deepStrictEqual(questions, [destination])
    }).pipe(Effect.scoped)
  )

  it.live("is told nothing by a signer that believes rows", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(asked(Layer.empty))
      assert.match(message, /it has no GRANT_ROOT/u)
    }).pipe(Effect.scoped)
  )
})
