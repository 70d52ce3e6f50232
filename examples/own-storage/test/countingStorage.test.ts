import { Writer } from "@bursar/core"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { Tenants } from "@bursar/core/port/Tenants"
import { defaultPolicy, TenantId } from "@bursar/core/tenant/Tenant"
import { emptyState, layer as layerMemory, layerOver } from "@bursar/memory"
import { storageSuite } from "@bursar/testkit/suites/storageSuite"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { CommitCounts, layerCounting } from "../src/countingStorage.ts"

const state = emptyState()
const counting = () => layerCounting.pipe(Layer.provideMerge(layerOver(state)))

storageSuite("counting over memory", counting(), { second: counting() })

it.effect("a hundred commands that come together are far fewer commits", () =>
  Effect.gen(function* () {
    const acme = TenantId("019845e1-682f-7b02-a706-3b2422d13aec")
    yield* (yield* Tenants).create({
      id: acme,
      slug: "acme",
      name: "Acme",
      kind: "SANDBOX",
      status: "ACTIVE",
      policy: defaultPolicy,
      createdAt: 0
    })
    const { submit } = yield* Writer.Writer
    const one = adjustFloat({ amount: { units: 1n, currency: "ETH" }, against: "custodian", reason: "opening" })
    yield* Effect.all(
      Array.from({ length: 100 }, () => submit(acme, one)),
      { concurrency: "unbounded" }
    )
    const { commands, commits } = yield* (yield* CommitCounts).read
    assert.strictEqual(commands, 100)
    assert.isAtMost(commits, 2)
  }).pipe(Effect.provide(Writer.layer.pipe(Layer.provideMerge(layerCounting), Layer.provideMerge(layerMemory))))
)
