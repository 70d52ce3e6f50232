import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { Uuid } from "../wire/Uuid.ts"
import { OperatorWalletDetail } from "./OperatorWalletDetail.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import { OperatorAudited } from "./OperatorAudited.ts"
import { OperatorAuthenticated } from "./OperatorAuthenticated.ts"
import { OperatorPermitted } from "./OperatorPermitted.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"

/** One wallet, as the chain and the books have it. */
export class WalletsGroup extends HttpApiGroup.make("wallets")
  .add(
    HttpApiEndpoint.get("get", "/tenants/:tenant_id/wallets/:wallet_id", {
      params: { tenant_id: Uuid, wallet_id: Uuid },
      success: OperatorWalletDetail,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Read a wallet",
        "What the chain shows on it now, what open transactions will take, its nonces with their gaps, and its unspent outputs.",
        ["not_found"]
      )
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Wallets", description: "Payout wallets in detail." }))
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated) {}
