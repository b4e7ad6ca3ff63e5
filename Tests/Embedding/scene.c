/*
 * A loop that draws in 3D with SDL 2: a camera turns in the middle of the room and sees each anchor as a cross of 40 cm.
 * Each frame reads a view of the session and tells where the camera is. A click places an anchor 2 m in front of it.
 *
 * usage: scene FOLDER, a folder for the identity
 */
#include "example.h"

#include <SDL.h>
#include <math.h>
#include <string.h>

enum { WIDTH = 480, HEIGHT = 360 };

/* Looks along -z from 1.5 m above the floor, turned by `angle` about the vertical axis: columns x, y, z and position. */
static void pose_camera(float angle, float pose[16]) {
  const float c = cosf(angle), s = sinf(angle);
  memcpy(pose, (const float[16]){c, 0, -s, 0, 0, 1, 0, 0, s, 0, c, 0, 0, 1.5f, 0, 1}, 16 * sizeof *pose);
}

/* Where the camera sees a point; 0 for one that is behind it. */
static int project(const float pose[16], const float point[3], float screen[2]) {
  float seen[3];
  for (int axis = 0; axis < 3; axis++) {
    seen[axis] = 0;
    for (int row = 0; row < 3; row++) seen[axis] += pose[4 * axis + row] * (point[row] - pose[12 + row]);
  }
  if (seen[2] > -0.1f) return 0;
  screen[0] = WIDTH / 2 - HEIGHT * seen[0] / seen[2];
  screen[1] = HEIGHT / 2 + HEIGHT * seen[1] / seen[2];
  return 1;
}

static void draw_line(SDL_Renderer *renderer, const float camera[16], const float from[3], const float to[3]) {
  float a[2], b[2];
  if (project(camera, from, a) && project(camera, to, b)) SDL_RenderDrawLineF(renderer, a[0], a[1], b[0], b[1]);
}

/* The axes of an anchor: x is red, y is green, z is blue. */
static void draw_cross(SDL_Renderer *renderer, const float camera[16], const float transform[16]) {
  for (int axis = 0; axis < 3; axis++) {
    float ends[2][3];
    for (int row = 0; row < 6; row++) {
      ends[row / 3][row % 3] = transform[12 + row % 3] + (row < 3 ? -0.2f : 0.2f) * transform[4 * axis + row % 3];
    }
    SDL_SetRenderDrawColor(renderer, axis == 0 ? 255 : 60, axis == 1 ? 255 : 60, axis == 2 ? 255 : 60, 255);
    draw_line(renderer, camera, ends[0], ends[1]);
  }
}

static void draw_floor(SDL_Renderer *renderer, const float camera[16]) {
  SDL_SetRenderDrawColor(renderer, 70, 74, 84, 255);
  for (int line = -4; line <= 4; line++) {
    const float ends[4][3] = {{line, 0, -1}, {line, 0, -9}, {-4, 0, line - 5}, {4, 0, line - 5}};
    draw_line(renderer, camera, ends[0], ends[1]);
    draw_line(renderer, camera, ends[2], ends[3]);
  }
}

static void draw(SDL_Renderer *renderer, sw_session *session, const float camera[16]) {
  sw_snapshot *view = NULL; /* stays NULL before the first */
  sw_session_snapshot(session, 0, &view);
  SDL_SetRenderDrawColor(renderer, 20, 22, 28, 255);
  SDL_RenderClear(renderer);
  draw_floor(renderer, camera);
  for (size_t index = 0; index < sw_snapshot_anchor_count(view); index++) {
    draw_cross(renderer, camera, sw_snapshot_anchor(view, index)->transform);
  }
  sw_snapshot_destroy(view);
  SDL_RenderPresent(renderer);
}

static void place_in_front(sw_session *session, const float camera[16]) {
  float at[16];
  for (int index = 0; index < 16; index++) at[index] = camera[index] - (index >= 12 ? 2 * camera[index - 4] : 0);
  if (sw_session_place(session, "shot", at, NULL) != SW_OK) fprintf(stderr, "%s\n", sw_last_error_message());
}

int main(int count, char **words) {
  if (count != 2 || SDL_Init(SDL_INIT_VIDEO) != 0) return 2;
  sw_session *session = start_session("scene", words[1]);
  SDL_Window *window = SDL_CreateWindow("scene", 0, 0, WIDTH, HEIGHT, 0);
  SDL_Renderer *renderer = SDL_CreateRenderer(window, -1, SDL_RENDERER_SOFTWARE);
  float camera[16];
  for (int is_open = 1; is_open != 0; SDL_Delay(16)) {
    pose_camera(0.25f * sinf((float)SDL_GetTicks() / 1000), camera);
    SDL_Event input;
    while (SDL_PollEvent(&input) != 0) {
      if (input.type == SDL_QUIT) is_open = 0;
      if (input.type == SDL_MOUSEBUTTONDOWN) place_in_front(session, camera);
    }
    sw_event *event = NULL;
    while (sw_session_next_event(session, &event) == SW_OK && event != NULL) sw_event_destroy(event);
    sw_session_update_pose(session, camera);
    draw(renderer, session, camera);
  }
  SDL_Quit(); /* and what it has made */
  sw_session_stop(session);
  return 0;
}
