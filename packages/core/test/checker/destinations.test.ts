import type { AuditRecord } from "@bursar/core/audit/AuditRecord"
import { loggedDestinations, withdrawalDestinations } from "@bursar/core/checker/destinationInvariant"
import {
  type DestinationLog,
  destinationLogKey,
  digestParam,
  grantParam,
  readDestinationLog
} from "@bursar/core/checker/destinationLog"
import type { Destination } from "@bursar/core/destination/Destination"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { type Operation, operationKinds, operationStatuses } from "@bursar/core/operation/Operation"
import { isOver } from "@bursar/core/operation/OperationMachine"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { tenantRecord } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { operationOf } from "../transfer/operationOf.ts"

const tenant = tenantRecord(0)

const destination = (id: string, more: Partial<Destination> = {}): Destination => ({
  ...{ id, currency: "USDC_BASE", network: "base", address: `0x${id}`, memo: null, label: "Treasury" },
  ...{ proposedBy: "olga", verifiedBy: "otto", verifiedAt: 100, usableFrom: 100 },
  ...{ rejectedAt: null, rejectedReason: null, createdAt: 0 },
  ...more
})

/** What a rule finds wrong in destinations and operations. */
const foundIn = (
  { run }: typeof withdrawalDestinations,
  destinations: ReadonlyArray<readonly [Destination, string]>,
  {
    destinationLog,
    operations = []
  }: { readonly destinationLog?: DestinationLog; readonly operations?: ReadonlyArray<Operation> }
) => {
  const head = { tenant, changeSeq: 0, eventId: 0, postingSeq: 0, lastAt: 0 }
  const rule = run?.({ head, balances: [], currencies: defaultCurrencies, destinationLog })
  for (const [one, digest] of destinations) {
    const wrong = rule?.destination?.(one, digest)
    if (wrong !== undefined) return wrong
  }
  for (const one of operations) {
    const wrong = rule?.operation?.(one)
    if (wrong !== undefined) return wrong
  }
  return rule?.finish?.()
}

describe("a withdrawal that is open", () => {
  const withdrawal = (address: string | null, more: Partial<Operation> = {}) =>
    operationOf("BANK_TRANSFER", {
      ...{ kind: "WITHDRAWAL", amount: of(5n, "USDC_BASE"), network: "base", createdAt: 200 },
      details: address === null ? {} : { destination: { address, memo: null } },
      ...more
    })
  const goes = (operation: Operation, ...all: ReadonlyArray<Destination>) =>
    foundIn(
      withdrawalDestinations,
      all.map((one) => [one, ""] as const),
      { operations: [operation] }
    ) === undefined

  it("goes where the destination of its currency was when it was accepted, exactly", () => {
    const one = destination("a")
    assert.isTrue(goes(withdrawal("0xa"), one))
    for (const other of [withdrawal("0xb"), withdrawal(null), withdrawal("0xa", { network: "ethereum" })])
      assert.isFalse(goes(other, one))
    const details = { destination: { address: "0xa", memo: "1" } }
    assert.isFalse(goes(withdrawal("0xa", { details }), one))
    assert.isTrue(goes(withdrawal("0xa", { details }), destination("a", { memo: "1" })))
    assert.isFalse(goes(withdrawal("0xa")), "there is none")
    assert.isFalse(goes(withdrawal("0xa", { amount: of(5n, "USDT_BASE") }), one))
    assert.isFalse(goes(withdrawal("0xa", { createdAt: 99 }), one), "it could not be used yet")
    const later = destination("b", { verifiedAt: 201, usableFrom: 201 })
    assert.isTrue(goes(withdrawal("0xa"), one, later))
    assert.isFalse(goes(withdrawal("0xa", { createdAt: 201 }), one, later))
  })

  it("may go to what was rejected after that, and not to what was before", () => {
    const rejected = (rejectedAt: number) => destination("a", { rejectedAt, rejectedReason: "Stolen." })
    assert.isTrue(goes(withdrawal("0xa"), rejected(200)))
    assert.isTrue(goes(withdrawal("0xa"), rejected(201)))
    assert.isFalse(goes(withdrawal("0xa"), rejected(199)))
  })

  it("is the only one that is asked", () => {
    for (const kind of operationKinds)
      for (const status of operationStatuses)
        assert.strictEqual(
          goes(withdrawal("0xthief", { kind, status }), destination("a")),
          kind !== "WITHDRAWAL" || isOver(status),
          `${kind} ${status}`
        )
  })
})

describe("a destination that is verified", () => {
  const wrong = (one: Destination, digest: string, log?: DestinationLog) =>
    foundIn(loggedDestinations, [[one, digest]], log === undefined ? {} : { destinationLog: log }) !== undefined
  const logged = (more: Partial<{ verifiedBy: string; digest: string; rejected: boolean }>): DestinationLog =>
    new Map([[destinationLogKey(tenant.id, "a"), { rejected: false, ...more }]])

  it("is what the log of operators says was verified, and by whom", () => {
    const one = destination("a")
    assert.isFalse(wrong(one, "d", logged({ verifiedBy: "otto", digest: "d" })))
    assert.isFalse(wrong(one, "d", logged({ verifiedBy: "otto" })), "the log is older than digests")
    assert.isTrue(wrong(one, "e", logged({ verifiedBy: "otto", digest: "d" })))
    assert.isTrue(wrong(one, "d", logged({ verifiedBy: "olga", digest: "d" })))
    assert.isTrue(wrong(one, "d", logged({})))
    assert.isTrue(wrong(one, "d", new Map()))
    assert.isTrue(wrong(one, "d", logged({ verifiedBy: "otto", digest: "d", rejected: true })))
    assert.isFalse(wrong(one, "d"), "the log is not asked")
    assert.isFalse(wrong(destination("a", { verifiedBy: null }), "d", new Map()))
    assert.isFalse(wrong(destination("a", { rejectedAt: 1 }), "d", new Map()))
  })
})

describe("the log of operators' actions", () => {
  const routes = {
    verify: "/tenants/:tenant_id/destinations/:destination_id/verify",
    reject: "/tenants/:tenant_id/destinations/:destination_id/reject",
    approve: "/grants/chains/:chain/proposals/:proposal_id/approve",
    append: "/grants/chains/:chain/entries"
  }
  /** What the log says of destination `a` after some records, which stand behind many others. */
  const saidOf = Effect.fnUntraced(function* (
    records: ReadonlyArray<Partial<AuditRecord> & Pick<AuditRecord, "route">>,
    before = 0,
    key = destinationLogKey("t", "a")
  ) {
    const record = (more: Partial<AuditRecord>, at: number): AuditRecord => ({
      ...{ id: at + 1, previousHash: "", hash: "", actionId: "x", at: 0, operator: "otto", role: "OPERATOR" },
      ...{ method: "POST", route: "/other", params: { tenant_id: "t", destination_id: "a" }, status: 200 },
      ...{ requestId: "r", address: "", content: null },
      ...more
    })
    const all = [...Array.from({ length: before }, () => ({})), ...records].map(record)
    const audit = OperatorAudit.of({
      append: () => Effect.die("nothing is written"),
      after: (id, limit) => Effect.succeed(all.slice(id, id + limit)),
      before: () => Effect.die("it is read from the beginning")
    })
    const log = yield* Effect.provideService(readDestinationLog(), OperatorAudit, audit)
    return log.get(key)
  })
  const params = (more: Readonly<Record<string, string>> = {}) => ({ tenant_id: "t", destination_id: "a", ...more })
  const digest = { [digestParam]: "d" }

  it.effect("says who verified a destination first, and what", () =>
    Effect.gen(function* () {
      const verified = { route: `/v1${routes.verify}`, params: params(digest) }
      assert.deepStrictEqual(yield* saidOf([verified]), { rejected: false, verifiedBy: "otto", digest: "d" })
      const plain = { route: routes.verify }
      assert.deepStrictEqual(yield* saidOf([plain]), { rejected: false, verifiedBy: "otto" })
      const again = { ...verified, operator: "olga", params: params({ [digestParam]: "e" }) }
      assert.deepStrictEqual(yield* saidOf([verified, again]), { rejected: false, verifiedBy: "otto", digest: "d" })
      for (const status of [null, 199, 300, 404])
        assert.isUndefined(yield* saidOf([{ ...verified, status }]), String(status))
      assert.isDefined(yield* saidOf([{ ...verified, status: 299 }]))
      for (const other of [{ tenant_id: "u" }, { destination_id: "b" }])
        assert.isUndefined(yield* saidOf([{ ...verified, params: params({ ...digest, ...other }) }]))
      for (const missing of [{ tenant_id: "t" }, { destination_id: "a" }])
        assert.isUndefined(yield* saidOf([{ ...verified, params: missing }]))
      assert.isUndefined(yield* saidOf([{ route: "/other", params: params(digest) }]))
      assert.strictEqual((yield* saidOf([verified], 1_000))?.verifiedBy, "otto", "beyond the first page")
      assert.strictEqual((yield* saidOf([verified], 999))?.verifiedBy, "otto")
    })
  )

  it.effect("finds one in records whose paths have its id in capitals", () =>
    Effect.gen(function* () {
      const ids = ["01890000-0000-7000-8000-00000000abcd", "01890000-0000-7000-8000-00000000abce"] as const
      const [tenantId, destinationId] = ids
      const params = { tenant_id: tenantId.toUpperCase(), destination_id: destinationId.toUpperCase(), ...digest }
      const records = [
        { route: routes.verify, params },
        { route: routes.reject, params }
      ]
      assert.deepStrictEqual(yield* saidOf(records, 0, destinationLogKey(tenantId, destinationId)), {
        ...{ rejected: true, verifiedBy: "otto", digest: "d" }
      })
    })
  )

  it.effect("says that one was rejected, whenever that was", () =>
    Effect.gen(function* () {
      const [verified, rejected] = [{ route: routes.verify, params: params(digest) }, { route: routes.reject }]
      assert.deepStrictEqual(yield* saidOf([rejected]), { rejected: true })
      assert.deepStrictEqual(yield* saidOf([{ route: `/v1${routes.reject}` }]), { rejected: true })
      for (const both of [
        [verified, rejected],
        [rejected, verified]
      ])
        assert.deepStrictEqual(yield* saidOf(both), { rejected: true, verifiedBy: "otto", digest: "d" })
    })
  )

  it.effect("says what a grant verified and revoked, by what stands for the grant", () =>
    Effect.gen(function* () {
      for (const route of [routes.approve, routes.append, `/v1${routes.approve}`]) {
        const granted = { route, params: params({ ...digest, [grantParam]: "grant 3" }) }
        assert.deepStrictEqual(yield* saidOf([granted]), { rejected: false, verifiedBy: "grant 3", digest: "d" })
        const revoked = { route, params: params({ [grantParam]: "grant 4" }) }
        assert.deepStrictEqual(yield* saidOf([revoked]), { rejected: true })
        assert.deepStrictEqual(yield* saidOf([granted, revoked]), {
          ...{ rejected: true, verifiedBy: "grant 3", digest: "d" }
        })
        assert.isUndefined(yield* saidOf([{ route, params: params(digest) }]), "nothing stands for it")
      }
    })
  )
})
