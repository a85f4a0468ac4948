/** The payload hash of a request without a body: SHA-256 of nothing. */
export const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** The payload hash of a request whose body is not signed. */
export const unsignedPayload = 'UNSIGNED-PAYLOAD'
