import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import { Uuid } from "../wire/Uuid.ts"
import { OperatorAudited } from "./OperatorAudited.ts"
import { OperatorAuthenticated } from "./OperatorAuthenticated.ts"
import { OperatorPermitted } from "./OperatorPermitted.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"
import { BalanceSeries, NetworkSeries, seriesSpans, TimesSeries, VolumeSeries } from "./OperatorSeries.ts"

const span = Schema.Literals(seriesSpans).annotate({
  description:
    "Up to now: a `day` or a `week` by the hour, a `month` (31 days) or a `quarter` (92 days) by the day, in UTC."
})

const query = { span, tenant_id: Schema.optionalKey(Uuid) }

/** What happened over time, summed up for plots. */
export class SeriesGroup extends HttpApiGroup.make("series")
  .add(
    HttpApiEndpoint.get("volume", "/series/volume", { query, success: VolumeSeries, error: wireErrors }).annotateMerge(
      operatorRoute(
        "Sum up operations over time",
        "How many operations were accepted, and of how much, by kind, status and currency; of one tenant or of all. Answers are up to half a minute old."
      )
    ),
    HttpApiEndpoint.get("times", "/series/times", { query, success: TimesSeries, error: wireErrors }).annotateMerge(
      operatorRoute(
        "Sum up how long things took",
        "From acceptance to settlement by kind, and from a deposit's detection to its confirmation by network. Answers are up to half a minute old."
      )
    ),
    HttpApiEndpoint.get("networks", "/series/networks", {
      query,
      success: NetworkSeries,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Sum up networks over time",
        "What networks took for operations, and how many blocks their watchers were behind. Answers are up to half a minute old."
      )
    ),
    HttpApiEndpoint.get("balances", "/tenants/:tenant_id/series/balances", {
      params: { tenant_id: Uuid },
      query: { span },
      success: BalanceSeries,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Read a tenant's balances over time",
        "What the tenant had at the end of each step in each currency, available and held together. Answers are up to half a minute old.",
        ["not_found"]
      )
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Series", description: "What happened over time." }))
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated) {}
