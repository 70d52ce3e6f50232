import { Authenticated } from "@bursar/api/middleware/Authenticated"
import { Limited } from "@bursar/api/middleware/Limited"
import { PolicySigned } from "@bursar/api/middleware/PolicySigned"
import { SchemaRefusals } from "@bursar/api/middleware/SchemaRefusals"
import { Scoped } from "@bursar/api/middleware/Scoped"
import { Signed } from "@bursar/api/middleware/Signed"
import { Effect, Layer } from "effect"

const refused = Effect.suspend(() =>
  Effect.die(new Error("an endpoint was asked for outside the pipeline that checks its requests"))
)

const unchecked = () => refused

/**
 * The contract's middleware for groups that are served by `contractRoutes`, which has checks of its own in their place. A group that is served
 * in any other way lets nobody in.
 */
export const uncheckedRefused = Layer.mergeAll(
  Layer.succeed(Authenticated, Authenticated.of({ bearer: unchecked })),
  Layer.succeed(Limited, Limited.of(unchecked)),
  Layer.succeed(Scoped, Scoped.of(unchecked)),
  Layer.succeed(PolicySigned, PolicySigned.of(unchecked)),
  Layer.succeed(SchemaRefusals, SchemaRefusals.of(unchecked)),
  Layer.succeed(Signed, Signed.of(unchecked))
)
