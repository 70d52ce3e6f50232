import type { Command } from "@bursar/core/engine/Command"
import type { Read } from "@bursar/core/engine/Read"
import type { View } from "@bursar/core/engine/View"
import { Writer } from "@bursar/core/engine/Writer"
import type { Tenant } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { looking } from "../../fixtures/commands.ts"

/** Writes and looks again, in another commit. */
export const roundTrip = Effect.fnUntraced(function* <A, B>(
  tenant: Tenant,
  write: Command<A>,
  reads: (written: A) => ReadonlyArray<Read>,
  check: (view: View, written: A) => B
) {
  const writer = yield* Writer
  const written = yield* writer.submit(tenant.id, write)
  return {
    written,
    seen: yield* writer.submit(
      tenant.id,
      looking(reads(written), (view) => check(view, written))
    )
  }
})
