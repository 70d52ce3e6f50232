import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { CheckReport } from "./CheckReport.ts"
import { OperatorNetworkList } from "./OperatorNetwork.ts"
import { operatorRoute } from "./operatorRoute.ts"

/** How the networks are read, and whether the books are right. */
export class HealthGroup extends HttpApiGroup.make("health")
  .add(
    HttpApiEndpoint.get("networks", "/networks", { success: OperatorNetworkList, error: wireErrors }).annotateMerge(
      operatorRoute("List networks", "Height, lag, watcher status and last problem of every network.")
    ),
    HttpApiEndpoint.get("check", "/check", { success: CheckReport, error: wireErrors }).annotateMerge(
      operatorRoute("Run the checker", "Re-derives the books from their entries and names the first wrong row.")
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Health", description: "Networks and the checker." })) {}
