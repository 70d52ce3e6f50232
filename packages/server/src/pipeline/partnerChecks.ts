import { Authenticated } from "@bursar/api/middleware/Authenticated"
import { Limited } from "@bursar/api/middleware/Limited"
import { PolicySigned } from "@bursar/api/middleware/PolicySigned"
import { SchemaRefusals } from "@bursar/api/middleware/SchemaRefusals"
import { Scoped } from "@bursar/api/middleware/Scoped"
import { Signed } from "@bursar/api/middleware/Signed"
import { Effect } from "effect"
import * as authenticated from "../middleware/authenticated.ts"
import * as limited from "../middleware/limited.ts"
import * as policySigned from "../middleware/policySigned.ts"
import * as schemaRefusals from "../middleware/schemaRefusals.ts"
import * as scoped from "../middleware/scoped.ts"
import * as signed from "../middleware/signed.ts"
import type { MakeCheck } from "../http/Arrived.ts"

/** What stands for the middleware of the partner contract; the contract says in which order. */
export const partnerChecks = Effect.gen(function* () {
  return new Map<string, MakeCheck>([
    [Authenticated.key, yield* authenticated.make],
    [Limited.key, yield* limited.make],
    [Scoped.key, scoped.make],
    [PolicySigned.key, yield* policySigned.make],
    [SchemaRefusals.key, schemaRefusals.make],
    [Signed.key, yield* signed.make]
  ])
})
