import { DeleteObjectCommand, S3Client } from "@aws-sdk/client-s3"
import { Effect } from "effect"

/** Removes an object, as somebody with all rights on the bucket does. */
export const removeObject = (at: { readonly endpoint: string; readonly bucket: string; readonly key: string }) =>
  Effect.promise(async () => {
    const client = new S3Client({ region: "eu-central-1", endpoint: at.endpoint, forcePathStyle: true })
    await client.send(new DeleteObjectCommand({ Bucket: at.bucket, Key: at.key }))
    client.destroy()
  })
