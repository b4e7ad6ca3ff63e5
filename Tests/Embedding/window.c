/*
 * A window of GTK 4: the anchors of a session from above, 50 points a metre. A click places an anchor there. GLib's loop
 * watches the descriptor of the events, and the window draws a view of the session, for which nothing waits.
 *
 * usage: window FOLDER, a folder for the identity
 */
#include "example.h"

#include <glib-unix.h>
#include <gtk/gtk.h>

static const double scale = 50;
static sw_session *session;
static GtkWidget *area;

/* The origin is in the middle; x is to the right, and z comes towards the reader. */
static void draw(GtkDrawingArea *self, cairo_t *cairo, int width, int height, gpointer data) {
  (void)self, (void)data;
  sw_snapshot *view = NULL;
  sw_session_snapshot(session, 0, &view); /* NULL before the first */
  cairo_set_source_rgb(cairo, 0.1, 0.11, 0.14);
  cairo_paint(cairo);
  cairo_translate(cairo, width / 2, height / 2);
  cairo_set_font_size(cairo, 13);
  for (size_t index = 0; index < sw_snapshot_anchor_count(view); index++) {
    const sw_anchor *anchor = sw_snapshot_anchor(view, index);
    const double x = anchor->transform[12] * scale, y = anchor->transform[14] * scale;
    cairo_set_source_rgb(cairo, 1, 0.72, 0.2);
    cairo_arc(cairo, x, y, 6, 0, 2 * G_PI);
    cairo_fill(cairo);
    cairo_set_source_rgb(cairo, 0.92, 0.92, 0.92);
    cairo_move_to(cairo, x + 10, y + 4);
    cairo_show_text(cairo, anchor->name);
  }
  for (size_t index = 0; index < sw_snapshot_device_count(view); index++) {
    const sw_live_pose *device = sw_snapshot_device(view, index);
    cairo_set_source_rgb(cairo, 0.4, 0.6, 1);
    cairo_rectangle(cairo, device->transform[12] * scale - 5, device->transform[14] * scale - 5, 10, 10);
    cairo_fill(cairo);
  }
  sw_snapshot_destroy(view);
}

/* Something has happened: the events are read, and what is drawn is out of date. */
static gboolean take_events(gint descriptor, GIOCondition condition, gpointer window) {
  (void)descriptor, (void)condition;
  sw_event *event;
  sw_status status;
  while ((status = sw_session_next_event(session, &event)) == SW_OK && event != NULL) {
    if (event->type == SW_EVENT_PEER_JOINED) gtk_window_set_title(window, event->name);
    sw_event_destroy(event);
  }
  return status == SW_OK; /* FALSE after the end of the session */
}

/* A view may be a few milliseconds later than its event, so each frame asks for one that was not drawn yet. */
static gboolean tick(GtkWidget *self, GdkFrameClock *clock, gpointer data) {
  (void)clock, (void)data;
  static uint64_t drawn = 0;
  sw_snapshot *view = NULL;
  if (sw_session_snapshot(session, drawn, &view) != SW_OK || view == NULL) return G_SOURCE_CONTINUE;
  sw_state state = {.size = sizeof state};
  if (sw_snapshot_state(view, &state) == SW_OK) drawn = state.revision;
  sw_snapshot_destroy(view);
  gtk_widget_queue_draw(self);
  return G_SOURCE_CONTINUE;
}

static void click(GtkGestureClick *self, int presses, double x, double y, gpointer data) {
  (void)self, (void)presses, (void)data;
  float at[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  at[12] = (float)((x - gtk_widget_get_width(area) / 2) / scale);
  at[14] = (float)((y - gtk_widget_get_height(area) / 2) / scale);
  if (sw_session_place(session, "tap", at, NULL) != SW_OK) g_printerr("%s\n", sw_last_error_message());
}

static void activate(GtkApplication *app, gpointer folder) {
  session = start_session("window", folder);
  GtkWidget *window = gtk_application_window_new(app);
  GtkGesture *clicks = gtk_gesture_click_new();
  area = gtk_drawing_area_new();
  gtk_drawing_area_set_draw_func(GTK_DRAWING_AREA(area), draw, NULL, NULL);
  gtk_widget_add_tick_callback(area, tick, NULL, NULL);
  g_signal_connect(clicks, "pressed", G_CALLBACK(click), NULL);
  gtk_widget_add_controller(area, GTK_EVENT_CONTROLLER(clicks));
  gtk_window_set_default_size(GTK_WINDOW(window), 400, 300);
  gtk_window_set_child(GTK_WINDOW(window), area);
  g_unix_fd_add(sw_session_events_fd(session), G_IO_IN, take_events, window);
  gtk_window_present(GTK_WINDOW(window));
}

int main(int count, char **words) {
  if (count != 2) return 2;
  GtkApplication *app = gtk_application_new("org.sharedworld.window", G_APPLICATION_NON_UNIQUE);
  g_signal_connect(app, "activate", G_CALLBACK(activate), words[1]);
  const int status = g_application_run(G_APPLICATION(app), 1, words);
  sw_session_stop(session);
  g_object_unref(app);
  return status;
}
