import { makeS3Anchor } from "@bursar/anchor-s3/S3Anchor"
import { AuditSeals } from "@bursar/core/port/AuditSeals"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { layer as layerPostgres } from "@bursar/postgres"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { moto, motoUrl } from "../../custody/aws-kms/test/support/emulators.ts"
import { removeObject } from "../../providers/anchor-s3/test/support/removeObject.ts"
import { bursar } from "./support/bursar.ts"
import { until } from "./support/until.ts"
import { environmentOf, migratedDatabase, work } from "./support/world.ts"

const region = "eu-central-1"

const aws = { AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test" }
Object.assign(process.env, aws)

const action = {
  actionId: crypto.randomUUID(),
  at: Date.UTC(2027, 0, 1),
  operator: "alice",
  role: "admin",
  method: "POST",
  route: "/operator/v1/tenants",
  params: {},
  status: 201,
  requestId: "r",
  address: "127.0.0.1",
  content: { digest: "a".repeat(64), values: '{"request":{}}' }
}

describe.skipIf(moto.found === undefined)(`bursar check with an object store${moto.skipped}`, () => {
  it.live("finds the log in order, until a seal is removed there", () =>
    Effect.gen(function* () {
      const [{ url }, endpoint] = [yield* migratedDatabase, yield* motoUrl]
      // moto takes a bucket from anybody
      const bucket = yield* Effect.promise(() => fetch(`${endpoint}/audit-of-test`, { method: "PUT" }))
      assert.isTrue(bucket.ok)
      const place = "s3://audit-of-test/here"
      const store = { AUDIT_ANCHOR_S3_REGION: region, AUDIT_ANCHOR_S3_ENDPOINT: endpoint, ...aws }
      const pace = { AUDIT_SEAL_SECONDS: "1", AUDIT_ANCHOR_SECONDS: "1" }
      const ports = yield* Layer.build(layerPostgres({ url: Redacted.make(url), maxConnections: 2 }))
      yield* work({ ...environmentOf(url), ...pace, ...store, AUDIT_ANCHOR_S3: place })
      const { read } = yield* makeS3Anchor({ bucket: "audit-of-test", prefix: "here/", region, endpoint })
      for (const number of [1, 2]) {
        yield* Context.get(ports, OperatorAudit).append({ ...action, actionId: crypto.randomUUID() })
        yield* until(`the anchor of seal ${number}`, read, ({ seals }) => seals.at(-1)?.number === number)
      }
      const check = bursar(["check", "--json", "--anchor", place], { env: { DATABASE_URL: url, ...store } })
      const right = yield* check
      assert.strictEqual(right.code, 0, right.stdout + right.stderr)
      assert.lengthOf(yield* Context.get(ports, AuditSeals).after(0, 10), 2)
      yield* removeObject({ endpoint, bucket: "audit-of-test", key: "here/seal-000000000001.json" })
      const wrong = yield* check
      assert.strictEqual(wrong.code, 1)
      assert.match(wrong.stdout, /Seal 1 is missing in the anchor s3:\/\/audit-of-test\/here\//u)
    }).pipe(Effect.scoped)
  )
})
