import { type AuditRecord, firstHash, type OperatorAction } from "@bursar/core/audit/AuditRecord"
import { hashOf } from "@bursar/core/audit/chained"
import { verifyChain } from "@bursar/core/checker/verifyChain"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { assert, layer as layerTests } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { type Second, secondOf, type SuiteOptions, timeoutOf } from "./harness.ts"

let actions = 0

const newAction = (operator = "alice"): OperatorAction => ({
  actionId: crypto.randomUUID(),
  at: Date.UTC(2026, 2, 3, 4, 5, 6, 789) + ++actions,
  operator,
  role: "admin",
  method: "POST",
  route: "POST /operator/v1/tenants/:tenant_id/keys/:key_id/revoke",
  params: { tenant_id: crypto.randomUUID(), key_id: "ü \u0000\n\"'" },
  status: actions % 2 === 0 ? null : 200,
  requestId: 'r\\"1',
  address: "2001:db8::1",
  content:
    actions % 3 === 0 ? null : { digest: "a".repeat(64), values: JSON.stringify({ request: { 7: "ü", a: 1.1 } }) }
})

class TwoAudits extends Context.Service<
  TwoAudits,
  { readonly first: OperatorAudit["Service"]; readonly second: OperatorAudit["Service"] }
>()("@bursar/testkit/suites/TwoAudits") {}

/** What every OperatorAudit must do. `second` is the adapter as another process would build it on the same store. */
export const operatorAuditSuite = <E>(
  name: string,
  layer: Layer.Layer<OperatorAudit, E>,
  options: SuiteOptions & { readonly second: Second<OperatorAudit, E> }
): void => {
  const two = Layer.effect(
    TwoAudits,
    Effect.gen(function* () {
      const first = yield* OperatorAudit
      return { first, second: yield* secondOf(OperatorAudit, options.second) }
    })
  ).pipe(Layer.provideMerge(layer))

  layerTests(two, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: OperatorAudit`, (it) => {
    it.effect(
      "every record follows on one other, whoever writes at the same time, and comes back as it was written",
      () =>
        Effect.gen(function* () {
          const { first, second } = yield* TwoAudits
          const last = (yield* first.before(undefined, 1)).at(0)
          const wanted = Array.from({ length: 40 }, () => newAction())
          const written = yield* Effect.forEach(
            wanted,
            (action, index) => (index % 2 === 0 ? first : second).append(action),
            { concurrency: "unbounded" }
          )
          const inOrder = written.toSorted((one, other) => one.id - other.id)
          let before: Pick<AuditRecord, "id" | "hash"> = last ?? { id: 0, hash: firstHash }
          for (const record of inOrder) {
            assert.deepStrictEqual([record.id, record.previousHash], [before.id + 1, before.hash])
            assert.strictEqual(record.hash, yield* hashOf(record))
            before = record
          }
          assert.deepStrictEqual(yield* second.after(last?.id ?? 0, 100), inOrder)
          assert.sameDeepMembers(
            inOrder.map(({ hash: _hash, id: _id, previousHash: _previous, ...action }) => action),
            wanted
          )
        }),
      timeoutOf(options)
    )

    it.effect(
      "pages lead through the records from either end, of all operators or of one",
      () =>
        Effect.gen(function* () {
          const { first: audit } = yield* TwoAudits
          for (const operator of ["bob", "carol", "bob"]) yield* audit.append(newAction(operator))
          const all = yield* audit.after(0, 10_000)
          const newest = all.toReversed()
          assert.deepStrictEqual(yield* audit.before(undefined, 2), newest.slice(0, 2))
          assert.deepStrictEqual(yield* audit.before(newest[1]?.id, 2), newest.slice(2, 4))
          assert.deepStrictEqual(
            yield* audit.before(undefined, 10_000, "bob"),
            newest.filter(({ operator }) => operator === "bob")
          )
          assert.deepStrictEqual(yield* audit.after(all[1]?.id ?? 0, 1), all.slice(2, 3))
          assert.deepStrictEqual(yield* audit.before(undefined, 5, "nobody"), [])
          const report = yield* Effect.provideService(verifyChain(all[0]?.hash), OperatorAudit, audit)
          assert.deepStrictEqual(report, {
            records: all.length,
            head: newest[0]?.hash ?? null,
            firstWrong: null,
            anchored: true
          })
        }),
      timeoutOf(options)
    )
  })
}
