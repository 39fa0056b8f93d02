"""WebSocket URLs, for ``cycloud.asgi``."""

from django.urls import URLPattern, path

from cycloud.console.consumers import ProjectConsumer

websocket_urlpatterns: list[URLPattern] = [
    path("ws/projects/<str:project_id>/", ProjectConsumer.as_asgi()),
]
