/*
 * A session in C++: objects that give themselves back, exceptions, and a loop over events that waits by poll(2). It accepts
 * one peer, places a lamp, and ends when that peer has placed a cup.
 *
 * usage: raii FOLDER, a folder for the identity; prints its port, and what happens
 */
#include <poll.h>
#include <sharedworld.h>

#include <array>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

namespace world {

/* The library's message, as an exception. */
inline void check(sw_status status) {
  if (status != SW_OK) throw std::runtime_error(sw_last_error_message());
}

/* Gives an object back when its owner goes out of scope. */
template <auto give_back> struct Return {
  template <class Object> void operator()(Object *object) const { give_back(object); }
};
template <class Object, auto give_back> using Owned = std::unique_ptr<Object, Return<give_back>>;
using Event = Owned<sw_event, sw_event_destroy>;

class Session {
 public:
  Session(const std::string &name, const std::string &folder) {
    sw_identity *identity = nullptr;
    check(sw_identity_load_or_create(name.c_str(), folder.c_str(), &identity));
    Owned<sw_identity, sw_identity_destroy> owner(identity);
    sw_session_config config;
    sw_session_config_init(&config, sizeof config);
    config.discovery = SW_DISCOVERY_NONE;
    config.listen_host = "127.0.0.1";
    config.invitations = SW_INVITATIONS_ACCEPT;
    sw_session *session = nullptr;
    check(sw_session_start(identity, &config, &session));
    session_.reset(session);
  }

  uint16_t port() const { return sw_session_port(session_.get()); }

  void place(const std::string &name, float x, float y, float z) {
    const std::array<float, 16> transform = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1};
    check(sw_session_place(session_.get(), name.c_str(), transform.data(), nullptr));
  }

  /* The next event; none after the end. A program with a loop of its own polls the descriptor there. */
  Event next() {
    pollfd poller = {sw_session_events_fd(session_.get()), POLLIN, 0};
    for (;;) {
      sw_event *event = nullptr;
      const sw_status status = sw_session_next_event(session_.get(), &event);
      if (status == SW_ENDED) return nullptr;
      check(status);
      if (event != nullptr) return Event(event);
      if (poll(&poller, 1, 60000) != 1) throw std::runtime_error("nothing has happened for a minute");
    }
  }

 private:
  /* sw_session_stop says goodbye and waits for the end. */
  Owned<sw_session, sw_session_stop> session_;
};

}  // namespace world

int main(int count, char **words) try {
  if (count != 2) return 2;
  world::Session session("raii", words[1]);
  std::cout << session.port() << std::endl;
  while (const world::Event event = session.next()) {
    if (event->type == SW_EVENT_PEER_JOINED) {
      std::cout << event->name << " is here" << std::endl;
      session.place("lamp", 0, 1, -2);
    } else if (event->type == SW_EVENT_ANCHOR_ADDED && std::string(event->anchor.name) == "cup") {
      std::cout << "received the cup" << std::endl;
      return 0;
    }
  }
  return 1;
} catch (const std::exception &error) {
  std::cerr << error.what() << std::endl;
  return 1;
}
