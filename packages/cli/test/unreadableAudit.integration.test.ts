import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { auditLogService, auditRecord } from "./support/auditLogService.ts"
import { bursar } from "./support/bursar.ts"
import { tempDir } from "./support/tempDir.ts"

// two actions, both carried out: each has a record before and one after
const log = [
  auditRecord(4, "00000000-0000-4000-8000-00000000000b", 201),
  auditRecord(3, "00000000-0000-4000-8000-00000000000b", null),
  auditRecord(2, "00000000-0000-4000-8000-00000000000a", 201),
  { ...auditRecord(1, "00000000-0000-4000-8000-00000000000a", null), problem: "Its values cannot be read: somebody." }
]

describe("the audit log, page by page as the command says", () => {
  it.live("tells which record somebody made unreadable, also where its action was finished", () =>
    Effect.gen(function* () {
      const env = yield* auditLogService(log)
      const cwd = yield* tempDir
      const all = yield* bursar(["audit", "list"], { env, cwd })
      assert.strictEqual(all.code, 0, all.stderr)
      assert.include(all.stdout, "Its values cannot be read", all.stdout)
    })
  )
})
