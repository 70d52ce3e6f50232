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
  auditRecord(1, "00000000-0000-4000-8000-00000000000a", null)
]

describe("the audit log, page by page as the command says", () => {
  it.live("calls no action unfinished that was finished", () =>
    Effect.gen(function* () {
      const env = yield* auditLogService(log)
      const cwd = yield* tempDir
      const first = yield* bursar(["audit", "list", "--limit", "3"], { env, cwd })
      assert.strictEqual(first.code, 0, first.stderr)
      const [, before = ""] = /--before (\d+)/u.exec(first.stderr) ?? assert.fail(first.stderr)
      const next = yield* bursar(["audit", "list", "--before", before], { env, cwd })
      assert.notInclude(next.stdout, "not finished", next.stdout)
    })
  )
})
