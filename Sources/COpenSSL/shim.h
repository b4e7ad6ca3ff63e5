#pragma once
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <string.h>

// OpenSSL's macros, which Swift cannot import, as functions. Each returns what the macro does.

static inline long sw_ctx_set_protocol(SSL_CTX *context, int lowest, int highest) {
  return SSL_CTX_set_min_proto_version(context, lowest) && SSL_CTX_set_max_proto_version(context, highest);
}

static inline long sw_ctx_set_groups(SSL_CTX *context, const char *list) {
  return SSL_CTX_set1_groups_list(context, list);
}

static inline long sw_ctx_set_signatures(SSL_CTX *context, const char *list) {
  return SSL_CTX_set1_sigalgs_list(context, list);
}

static inline void sw_ctx_set_cache_off(SSL_CTX *context) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

static inline void sw_ctx_set_chain_limit(SSL_CTX *context, long bytes) {
  SSL_CTX_set_max_cert_list(context, bytes);
}

static inline void sw_ctx_set_plain_options(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
}

static inline int sw_error_reason(unsigned long code) {
  return ERR_GET_REASON(code);
}

static inline void sw_ctx_set_stream_mode(SSL_CTX *context) {
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

static inline int sw_chain_count(X509_STORE_CTX *store) {
  return sk_X509_num(X509_STORE_CTX_get0_untrusted(store));
}

static inline int sw_name_add(X509_NAME *name, const char *field, const char *text) {
  return X509_NAME_add_entry_by_txt(name, field, MBSTRING_ASC, (const unsigned char *)text, -1, -1, 0);
}

static inline EVP_PKEY *sw_p256_key(void) {
  return EVP_EC_gen("P-256");
}

// Adds an extension as its text in OpenSSL's own words (x509v3_config(5)).
static inline int sw_certificate_extend(X509 *certificate, int kind, const char *text) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, NULL, NULL, 0);
  X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, kind, text);
  int is_added = extension && X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
  return is_added;
}

// A pipe between one SSL and its socket: OpenSSL reads from bytes that the caller lends and writes into a bounded
// buffer. Unlike OpenSSL's own memory BIO it never grows and copies nothing twice.
typedef struct {
  const unsigned char *in;
  size_t in_count;
  unsigned char *out;
  size_t out_count;
  size_t out_capacity;
  // Updates of its keys that the peer has sent (RFC 8446 §4.6.3), and how many it may: OpenSSL answers any number.
  int key_updates;
  int key_update_limit;
} sw_pipe;

static inline int sw_pipe_read(BIO *bio, char *into, size_t count, size_t *done) {
  sw_pipe *pipe = (sw_pipe *)BIO_get_data(bio);
  BIO_clear_retry_flags(bio);
  if (pipe->key_updates > pipe->key_update_limit) return 0;
  if (pipe->in_count == 0) {
    BIO_set_retry_read(bio);
    return 0;
  }
  *done = count < pipe->in_count ? count : pipe->in_count;
  memcpy(into, pipe->in, *done);
  pipe->in += *done;
  pipe->in_count -= *done;
  return 1;
}

static inline int sw_pipe_write(BIO *bio, const char *from, size_t count, size_t *done) {
  sw_pipe *pipe = (sw_pipe *)BIO_get_data(bio);
  BIO_clear_retry_flags(bio);
  if (pipe->out_capacity - pipe->out_count < count) {
    BIO_set_retry_write(bio);
    return 0;
  }
  memcpy(pipe->out + pipe->out_count, from, count);
  pipe->out_count += count;
  *done = count;
  return 1;
}

static inline long sw_pipe_control(BIO *bio, int command, long number, void *pointer) {
  (void)bio, (void)number, (void)pointer;
  return command == BIO_CTRL_FLUSH;
}

static inline void sw_count_key_updates(
    int is_written, int version, int type, const void *bytes, size_t count, SSL *ssl, void *pipe) {
  (void)version, (void)ssl;
  if (!is_written && type == SSL3_RT_HANDSHAKE && count > 0 && *(const unsigned char *)bytes == SSL3_MT_KEY_UPDATE)
    ((sw_pipe *)pipe)->key_updates++;
}

// Has the pipe count the updates of keys that the connection receives.
static inline void sw_pipe_watch(sw_pipe *pipe, SSL *ssl) {
  SSL_set_msg_callback(ssl, sw_count_key_updates);
  SSL_set_msg_callback_arg(ssl, pipe);
}

// The BIO type of a pipe; make it once and keep it.
static inline BIO_METHOD *sw_pipe_method(void) {
  BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "sharedworld pipe");
  if (method) {
    BIO_meth_set_read_ex(method, sw_pipe_read);
    BIO_meth_set_write_ex(method, sw_pipe_write);
    BIO_meth_set_ctrl(method, sw_pipe_control);
  }
  return method;
}
