import { CreateBucketCommand, DeleteObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3"
import { makeS3Anchor } from "@bursar/anchor-s3/S3Anchor"
import { readPlace } from "@bursar/anchor-s3/S3Options"
import type { AuditSeal } from "@bursar/core/audit/AuditSeal"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { moto, motoUrl } from "../../../custody/aws-kms/test/support/emulators.ts"

const region = "eu-central-1"

// what the SDK finds, as in a process of the service
process.env["AWS_ACCESS_KEY_ID"] ??= "test"
process.env["AWS_SECRET_ACCESS_KEY"] ??= "test"

const sealOf = (number: number, mac = "a"): AuditSeal => ({
  number,
  fromId: number,
  toId: number,
  hash: "0".repeat(64),
  at: 1_000 + number,
  keyId: "test",
  previous: "0".repeat(64),
  mac: mac.repeat(64)
})

const keyOf = (number: number) => `audit/seal-${String(number).padStart(12, "0")}.json`

/** A bucket with object lock, which keeps versions, or one without; and a person who may do everything there. */
const opened = Effect.fnUntraced(function* (isLocked: boolean) {
  const endpoint = yield* motoUrl
  const client = new S3Client({ region, endpoint, forcePathStyle: true })
  const bucket = `bucket-${crypto.randomUUID()}`
  yield* Effect.promise(() =>
    client.send(
      new CreateBucketCommand({
        Bucket: bucket,
        ObjectLockEnabledForBucket: isLocked,
        CreateBucketConfiguration: { LocationConstraint: region }
      })
    )
  )
  const options = { bucket, prefix: "audit/", region, endpoint, ...(isLocked ? { retainDays: 30 } : {}) }
  const put = (number: number, text: string) =>
    Effect.promise(() => client.send(new PutObjectCommand({ Bucket: bucket, Key: keyOf(number), Body: text })))
  const remove = (number: number, VersionId?: string) =>
    Effect.tryPromise(() =>
      client.send(
        new DeleteObjectCommand({
          Bucket: bucket,
          Key: keyOf(number),
          ...(VersionId === undefined ? {} : { VersionId })
        })
      )
    )
  const below = (folder: string) => makeS3Anchor({ ...options, prefix: `${options.prefix}${folder}` })
  return { anchor: yield* makeS3Anchor(options), again: makeS3Anchor(options), below, put, remove }
})

describe("a place in an object store", () => {
  it("is a bucket and a prefix that ends with a slash", () => {
    assert.deepStrictEqual(readPlace("s3://bucket"), { bucket: "bucket", prefix: "" })
    assert.deepStrictEqual(readPlace("s3://bucket/a/b"), { bucket: "bucket", prefix: "a/b/" })
    for (const text of ["https://bucket", "s3://", "s3://B", "s3://bucket/a b"]) assert.isUndefined(readPlace(text))
  })
})

describe.skipIf(moto.found === undefined)(`an anchor in an object store${moto.skipped}`, () => {
  it.live("gets each seal once, also from two processes, and gives all back", () =>
    Effect.gen(function* () {
      const { again, anchor } = yield* opened(true)
      const other = yield* again
      for (const number of [1, 2, 2]) yield* anchor.put(sealOf(number))
      yield* other.put(sealOf(2))
      yield* other.put(sealOf(5))
      yield* anchor.put(sealOf(5))
      yield* anchor.put(sealOf(9))
      assert.deepStrictEqual(yield* anchor.read, { seals: [1, 2, 5, 9].map((one) => sealOf(one)), findings: [] })
    }).pipe(Effect.scoped)
  )

  it.live("contradicts a database whose seals went back or became others, and is not written over", () =>
    Effect.gen(function* () {
      const { again, anchor } = yield* opened(true)
      yield* anchor.put(sealOf(3))
      yield* anchor.put(sealOf(4))
      for (const one of [anchor, yield* again]) {
        assert.match(String(yield* Effect.flip(one.put(sealOf(2)))), /Seals 3 to 4 were taken out/u)
        assert.match(String(yield* Effect.flip(one.put(sealOf(4, "b")))), /Seal 4 was replaced/u)
      }
      assert.deepStrictEqual((yield* anchor.read).seals, [sealOf(3), sealOf(4)])
    }).pipe(Effect.scoped)
  )

  it.live("that keeps versions shows what was removed or overwritten, and still has the first seal", () =>
    Effect.gen(function* () {
      const { anchor, put, remove } = yield* opened(true)
      for (const number of [1, 2, 3]) yield* anchor.put(sealOf(number))
      yield* put(2, `${JSON.stringify({ seal: sealOf(2, "b"), previous: 1 })}\n`)
      yield* remove(3)
      const { findings, seals } = yield* anchor.read
      assert.deepStrictEqual(
        seals,
        [1, 2, 3].map((one) => sealOf(one))
      )
      assert.match(findings.join(" "), /Seal 2 was overwritten .*Seal 3 was removed/u)
    }).pipe(Effect.scoped)
  )

  it.live("without versions names the seal that is missing, as soon as another follows", () =>
    Effect.gen(function* () {
      const { anchor, put, remove } = yield* opened(false)
      for (const number of [1, 2, 3]) yield* anchor.put(sealOf(number))
      yield* remove(2)
      assert.match((yield* anchor.read).findings.join(" "), /Seal 2 is missing .*seal 3 names it/u)
      yield* remove(3)
      yield* anchor.put(sealOf(4))
      assert.match((yield* anchor.read).findings.join(" "), /Seal 3 is missing/u)
      yield* put(4, "{}")
      assert.match((yield* anchor.read).findings.join(" "), /The object of seal 4 .*is no seal/u)
    }).pipe(Effect.scoped)
  )

  it.live("has nothing to do with another anchor in a folder below it, or one whose names end alike", () =>
    Effect.gen(function* () {
      const { below, anchor, put } = yield* opened(true)
      yield* anchor.put(sealOf(1))
      const [staging, older] = [yield* below("staging/"), yield* below("older-")]
      for (const number of [1, 2, 3]) {
        yield* staging.put(sealOf(number, "b"))
        yield* older.put(sealOf(number, "c"))
      }
      yield* anchor.put(sealOf(2))
      assert.deepStrictEqual(yield* anchor.read, { seals: [1, 2].map((one) => sealOf(one)), findings: [] })
      yield* put(2, "{}")
      assert.match((yield* anchor.read).findings.join(" "), /^Seal 2 was overwritten in the anchor .*\/audit\/\.$/u)
    }).pipe(Effect.scoped)
  )

  it.live("says that it cannot be reached, or that there is no such bucket", () =>
    Effect.gen(function* () {
      const endpoint = yield* motoUrl
      const options = { bucket: "none-such", prefix: "", region, endpoint }
      const missing = yield* makeS3Anchor(options)
      assert.match(String(yield* Effect.flip(missing.put(sealOf(1)))), /NoSuchBucket/u)
      const plain = makeS3Anchor({ ...options, endpoint: "http://s3.example.com" })
      assert.match(String(yield* Effect.flip(plain)), /must start with https/u)
    }).pipe(Effect.scoped)
  )
})
