import { addApiKey } from "@bursar/core/access/tenantCommands"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Queries } from "@bursar/core/store/Queries"
import { Storage } from "@bursar/core/engine/Storage"
import { Tenants } from "@bursar/core/port/Tenants"
import { Writer } from "@bursar/core/engine/Writer"
import { assert } from "@effect/vitest"
import { Cause, Clock, Effect, Exit, Option } from "effect"
import { adjust, broken, emitting, looking, refused, contextAt, writing } from "../../fixtures/commands.ts"
import { addressItem, newAddress, newEvmAddress } from "../../fixtures/deposits.ts"
import { apiKeyFields } from "../../fixtures/keys.ts"
import { bareDeposit, bareOperation } from "../../fixtures/records.ts"
import { newTenant, past } from "../../fixtures/tenants.ts"
import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { schedule } from "@bursar/core/engine/Job"
import type { Command } from "@bursar/core/engine/Command"
import { SignatureNonce } from "@bursar/core/signature/SignatureNonce"
import { Usage } from "@bursar/core/limit/Usage"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { commit, ends, type StorageIt } from "./services.ts"
import { putRecord, readRecord, type RecordPut } from "@bursar/core/engine/Records"
import { Deposit } from "@bursar/core/deposit/Deposit"
import { Operation } from "@bursar/core/operation/Operation"
import { isUnstorable } from "@bursar/core/engine/StorageError"

/** A record of a kind of which each is put once. */
const nonce: SignatureNonce = {
  keyid: "k",
  nonce: "n",
  idempotencyKey: "1",
  contentDigest: "d",
  usedAt: past,
  forgetAt: Date.UTC(9999, 0)
}

/** What holds for the commands of one batch. */
export const batchTests = (it: StorageIt, timeoutMs: number): void => {
  it.effect(
    "a refusal refuses its command and not the batch",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const exits = yield* commit(id, adjust(5n), adjust(-100n), adjust(1n), refused, adjust(-6n))
        assert.deepStrictEqual(ends(exits), ["Success", "Fail", "Success", "Fail", "Success"])
        const [balance] = yield* (yield* Queries).float(id)
        assert.deepStrictEqual(balance, { account: "float:available", currency: "ETH", units: 0n, version: 3 })
      }),
    timeoutMs
  )

  it.effect(
    "a bug in a decider fails its command and not the batch",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const unbalanced = writing(
          (view) => [
            {
              _tag: "Posted",
              operationId: view.newId(),
              legs: [
                { account: "float:available", currency: "ETH", direction: "CREDIT", units: 7n, what: "adjustment" }
              ]
            }
          ],
          [{ _tag: "Balance", account: "float:available", currency: "ETH" }]
        )
        const exits = yield* commit(id, adjust(5n), broken, unbalanced, adjust(1n))
        assert.deepStrictEqual(ends(exits), ["Success", "Die", "Die", "Success"])
        const [balance] = yield* (yield* Queries).float(id)
        assert.strictEqual(balance?.units, 6n)
      }),
    timeoutMs
  )

  it.effect(
    "later commands of a batch see what earlier ones changed",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const balance = looking(
          [{ _tag: "Balance", account: "float:available", currency: "ETH" }],
          (view) => view.balance("float:available", "ETH").units
        )
        const exits = yield* commit(id, balance, adjust(5n), balance, adjust(-2n), balance)
        assert.deepStrictEqual([exits[0], exits[2], exits[4]], [Exit.succeed(0n), Exit.succeed(5n), Exit.succeed(3n)])
      }),
    timeoutMs
  )

  it.effect(
    "hundreds of commands are one batch: the last sees what the first changed, and what was put first is put once more",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const queries = yield* Queries
        const address = yield* newAddress(id)
        const balance = looking(
          [{ _tag: "Balance", account: "float:available", currency: "ETH" }],
          (view) => view.balance("float:available", "ETH").units
        )
        const [found] = yield* commit(
          id,
          writing((view) => [putRecord(Deposit, bareDeposit(view, address))])
        )
        const first =
          found?._tag === "Success" ? (found.value as ReadonlyArray<RecordPut<Deposit>>)[0]?.record : undefined
        if (first === undefined) return assert.fail("nothing was put")
        const confirmed = (confirmations: number) =>
          writing(
            (view) => [putRecord(Deposit, { ...first, confirmations, changeSeq: view.nextChangeSeq() })],
            [readRecord(Deposit, Deposit.key(first))]
          )
        const step = (at: number) => [adjust(1n), refused, emitting(), ...(at % 70 === 0 ? [confirmed(at)] : [])]
        const steps = Array.from({ length: 141 }, (_, at) => step(at)).flat()
        const exits = yield* commit(id, balance, ...steps, balance, adjust(-142n))
        assert.deepStrictEqual(exits[0], Exit.succeed(0n))
        assert.deepStrictEqual(exits.at(-2), Exit.succeed(141n))
        assert.deepStrictEqual(ends(exits.slice(-1)), ["Fail"])
        const [float] = yield* queries.float(id)
        assert.deepStrictEqual([float?.units, float?.version], [141n, 141])
        const events = yield* queries.events(id, 0, 500)
        assert.deepStrictEqual(
          events.map((event) => event.id),
          events.map((_, at) => at + 1)
        )
        const deposits = yield* commit(
          id,
          looking(
            [readRecord(Deposit, Deposit.key(first))],
            (view) => view.get(Deposit, Deposit.key(first))?.confirmations
          )
        )
        assert.deepStrictEqual(deposits, [Exit.succeed(140)])
      }),
    timeoutMs
  )

  it.effect(
    "of hundreds of records, jobs, events, postings and addresses of one commit none is lost",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const queries = yield* Queries
        const queue = `topic-${id}`
        const numbers = Array.from({ length: 1_200 }, (_, number) => number)
        const items = numbers.map(() => addressItem(newEvmAddress()))
        const exits = yield* commit(
          id,
          ...numbers.flatMap((number) => [
            writing(() => [
              putRecord(Usage, { scope: `${number}`, buckets: [] }),
              schedule(queue, `${number}`, past + number)
            ]),
            emitting({ number }),
            adjust(1n)
          ]),
          registerAddresses(items)
        )
        assert.deepStrictEqual([...new Set(ends(exits))], ["Success"])
        const sorted = (all: ReadonlyArray<string>) => all.toSorted((one, other) => Number(one) - Number(other))
        const names = numbers.map(String)
        assert.deepStrictEqual(sorted((yield* queries.records(id, Usage)).map(({ scope }) => scope)), names)
        assert.deepStrictEqual(
          (yield* (yield* JobQueue).due(queue, past + 9_999, 9_999)).map(({ key }) => key),
          names
        )
        const told = (yield* queries.events(id, 0, 9_999)).filter(({ data }) => "number" in data)
        assert.deepStrictEqual(
          told.map(({ data }) => data["number"]),
          numbers
        )
        const { closing, movements } = yield* queries.statement(id, { currency: "ETH", limit: 9_999 })
        assert.deepStrictEqual([closing, movements.length], [1_200n, 1_200])
        assert.lengthOf(yield* queries.register(id, { limit: 9_999 }), 1_200)
        const registered = yield* queries.addresses(id, { includeRetired: false, limit: 9_999 })
        assert.sameMembers(
          registered.map(({ address }) => address),
          items.map(({ address }) => address)
        )
        const { id: other } = yield* newTenant()
        const owners = looking(
          items.flatMap(({ address, keys, network }) => [
            { _tag: "LiveAddress", network, address } as const,
            ...keys.map((key) => ({ _tag: "KeyOwner", key }) as const)
          ]),
          (view) =>
            items.flatMap(({ address, keys, network }) => [
              view.addressOwner(network, address)?.owner,
              ...keys.map((key) => view.keyOwner(key)?.owner)
            ])
        )
        const [found] = yield* commit(other, owners)
        assert.deepStrictEqual(
          found?._tag === "Success" ? [...new Set(found.value as ReadonlyArray<unknown>)] : found, // what `owners` replies
          [id]
        )
      }),
    timeoutMs
  )

  it.effect(
    "a commit that the store refuses for the last of hundreds of commands writes nothing at all",
    () =>
      Effect.gen(function* () {
        const [{ id: owner }, { id }] = [yield* newTenant(), yield* newTenant()]
        const queries = yield* Queries
        const taken = apiKeyFields()
        yield* commit(owner, addApiKey(taken))
        const many = Array.from({ length: 300 }, () => adjust(1n))
        const exit = yield* Effect.exit(commit(id, ...many, addApiKey(taken)))
        assert.include(JSON.stringify(exit), "StorageError")
        assert.deepStrictEqual(yield* queries.float(id), [])
        assert.deepStrictEqual(yield* queries.events(id, 0, 10), [])
        yield* commit(id, ...many)
        assert.strictEqual((yield* queries.float(id))[0]?.version, 300)
      }),
    timeoutMs
  )

  it.effect(
    "counters have no gaps after refusals and bugs",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const exits = yield* commit(id, emitting(), refused, broken, emitting(), refused)
        assert.deepStrictEqual(exits[3], Exit.succeed(2))
        yield* commit(id, refused, broken)
        assert.deepStrictEqual(yield* commit(id, emitting()), [Exit.succeed(3)])
        const address = yield* newAddress(id)
        const found = writing((view) => [putRecord(Deposit, bareDeposit(view, address))])
        const looked = yield* commit(
          id,
          found,
          refused,
          looking([], (view) => view.nextChangeSeq())
        )
        assert.deepStrictEqual(looked[2], Exit.succeed(2))
      }),
    timeoutMs
  )

  it.effect(
    "the moment of a batch is never before that of the tenant's last",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const storage = yield* Storage
        const later = (yield* Clock.currentTimeMillis) + 100_000
        const event = emitting()
        yield* storage.commit(id, [event], contextAt(later))
        const [seen] = yield* storage.commit(id, [looking([], (view) => view.now)], contextAt(later - 50_000))
        assert.deepStrictEqual(seen, Exit.succeed(later))
        yield* storage.commit(id, [event], contextAt(later - 50_000))
        const events = yield* (yield* Queries).events(id, 0, 10)
        assert.deepStrictEqual(
          events.map(({ occurredAt }) => occurredAt),
          [later, later]
        )
      }),
    timeoutMs
  )

  it.effect(
    "a batch has the moment that its sender gives it after the tenant's last",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const storage = yield* Storage
        const later = (yield* Clock.currentTimeMillis) + 100_000
        yield* storage.commit(id, [emitting()], contextAt(later))
        // it has seen what was committed, and comes after it
        const context = { ...contextAt(later - 50_000), momentAfter: (lastAt: number) => lastAt + 3 }
        yield* storage.commit(id, [emitting()], context)
        const events = yield* (yield* Queries).events(id, 0, 10)
        assert.deepStrictEqual(
          events.map(({ occurredAt }) => occurredAt),
          [later, later + 3]
        )
      }),
    timeoutMs
  )

  it.effect(
    "a tenant's first change follows on a moment before the tenant was made, and the second on the first",
    () =>
      Effect.gen(function* () {
        const { createdAt, id } = yield* newTenant()
        const storage = yield* Storage
        const asked: Array<number> = []
        const momentAfter = (lastAt: number) => {
          asked.push(lastAt)
          return createdAt
        }
        for (let times = 0; times < 2; times++)
          yield* storage.commit(id, [looking([], () => null)], { ...contextAt(createdAt), momentAfter })
        assert.deepStrictEqual(asked, [createdAt - 1, createdAt])
      }),
    timeoutMs
  )

  it.effect(
    "a text that no store can hold fails its command and not the batch, and no key becomes another by it",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const named = (partnerReference: string) =>
          writing((view) => [putRecord(Operation, bareOperation(view, { partnerReference }))])
        const described = (description: string) =>
          writing((view) => [putRecord(Operation, bareOperation(view, { details: { description } }))])
        const unstorable = ["a\u0000b", "half \ud83d", "\ude00 half"]
        for (const one of unstorable) {
          const exits = yield* commit(id, emitting(), named(one), described(one), emitting({ [one]: one }), adjust(1n))
          assert.deepStrictEqual(ends(exits), ["Success", "Fail", "Fail", "Fail", "Success"])
          for (const exit of exits.slice(1, 4))
            assert.isTrue(
              isUnstorable(Option.getOrThrow(Cause.findErrorOption(Exit.getCause(exit).pipe(Option.getOrThrow))))
            )
        }
        const stored = ["a\uFFFDb", "both \ud83d\ude00", "a\\u0000b"]
        assert.isTrue(
          (yield* commit(id, ...stored.flatMap((one) => [named(one), described(one)]))).every(Exit.isSuccess)
        )
        const queries = yield* Queries
        const found = yield* queries.operations({ tenantId: id, order: "newest", limit: 50 })
        assert.deepStrictEqual(
          found.flatMap(({ partnerReference }) => partnerReference ?? []).toSorted(),
          stored.toSorted()
        )
        // what looks into the details of all of them
        assert.deepStrictEqual(
          yield* queries.operations({ tenantId: id, contradicted: true, order: "newest", limit: 5 }),
          []
        )
      }),
    timeoutMs
  )

  it.effect(
    "a command that puts once more, unread, what is put once fails alone",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const { submit } = yield* Writer
        const put = writing(() => [putRecord(SignatureNonce, nonce)])
        yield* submit(id, put)
        const exits = yield* Effect.forEach(
          [emitting(), put, emitting()],
          (command: Command<unknown>) => Effect.exit(submit(id, command)),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(ends(exits), ["Success", "Fail", "Success"])
        assert.lengthOf(yield* (yield* Queries).events(id, 0, 10), 2)
      }),
    timeoutMs
  )

  it.effect(
    "a commit that the store refuses writes nothing at all and can be tried again",
    () =>
      Effect.gen(function* () {
        const [{ id: owner }, { id }] = [yield* newTenant(), yield* newTenant()]
        const taken = apiKeyFields()
        yield* commit(owner, addApiKey(taken))
        // the view shows a tenant its own keys alone, so that only the store can know that this id is taken
        const exit = yield* Effect.exit(commit(id, adjust(5n), emitting(), addApiKey(taken), adjust(1n)))
        assert.deepStrictEqual(ends([exit]), ["Fail"])
        assert.include(JSON.stringify(exit), "StorageError")
        const queries = yield* Queries
        assert.deepStrictEqual(yield* queries.float(id), [])
        assert.deepStrictEqual(yield* queries.events(id, 0, 10), [])
        assert.deepStrictEqual(yield* queries.register(id, { limit: 10 }), [])
        assert.strictEqual((yield* (yield* Tenants).key(taken.id))?.tenant.id, owner)
        assert.deepStrictEqual((yield* commit(id, emitting(), adjust(5n)))[0], Exit.succeed(1))
        const [balance] = yield* queries.float(id)
        assert.deepStrictEqual([balance?.units, balance?.version], [5n, 1])
      }),
    timeoutMs
  )

  it.effect(
    "a batch of nothing but refusals and views writes nothing",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        yield* commit(
          id,
          refused,
          looking([], () => 1),
          adjust(-1n)
        )
        assert.deepStrictEqual(yield* commit(id), [])
        assert.deepStrictEqual(yield* (yield* Queries).register(id, { limit: 10 }), [])
      }),
    timeoutMs
  )

  it.effect(
    "a tenant that does not exist is unknown",
    () =>
      Effect.gen(function* () {
        const writer = yield* Writer
        const error = yield* Effect.flip(writer.submit(TenantId(crypto.randomUUID()), emitting()))
        assert.strictEqual(error._tag, "TenantUnknown")
      }),
    timeoutMs
  )
}
